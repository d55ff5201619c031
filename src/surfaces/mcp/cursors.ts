import { createHash } from "node:crypto";
import { ApiError } from "../../errors.ts";
import type { Arguments, Tool } from "./tool.ts";

/** A place in a result of ours: two numbers, whose meaning the paging knows. */
export type Place = readonly [number, number];

/** Names a call without its cursor and limit, so that a cursor fits no other call. */
function tagOf(tool: Tool, { cursor: _, limit: __, confirm: ___, ...args }: Arguments): string {
  const call = JSON.stringify([tool.name, Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash("sha256").update(call).digest("base64url").slice(0, 12);
}

/** A cursor of ours. It is not signed: it names a place in what the caller may read anyway. */
export const cursorTo = (tool: Tool, args: Arguments, [a, b]: Place): string => `${tagOf(tool, args)}.${a}.${b}`;

/** The place of a cursor; the start without one. Throws `invalid_parameter`. */
export function placeOf(tool: Tool, args: Arguments): Place {
  const { cursor } = args;
  if (cursor === undefined) return [0, 0];
  const found = typeof cursor === "string" ? /^([\w-]{12})\.(\d{1,9})\.(\d{1,9})$/.exec(cursor) : null;
  if (!found || found[1] !== tagOf(tool, args)) {
    throw new ApiError("invalid_parameter", {
      param: "cursor",
      message: "`cursor` does not belong to this query; start again without it.",
    });
  }
  return [Number(found[2]), Number(found[3])];
}
