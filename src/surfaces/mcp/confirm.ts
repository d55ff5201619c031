import { createHash } from "node:crypto";
import { ApiError } from "../../errors.ts";
import type { Operations } from "./operations.ts";
import type { Arguments, Tool } from "./tool.ts";

const TTL_MS = 10 * 60_000;

/**
 * True if the call may run: it needs no `confirm`, or that is right. False if it needs one and has none. Throws
 * `invalid_parameter` if it is wrong.
 */
export async function isConfirmed(tool: Tool, args: Arguments, ops: Operations, signal: AbortSignal): Promise<boolean> {
  const { confirm } = args;
  if (confirm === undefined) return !tool.confirm?.needed(args);
  const ofSubmission = tool.confirm?.of === "submission";
  const expected = ofSubmission ? args["submission_id"] : await ops.formName(String(args["form_id"]), signal);
  if (confirm === expected) return true;
  throw unconfirmed(tool, "does not match");
}

/** The error of a call without a `confirm`, or with another one. */
export function unconfirmed({ confirm }: Tool, fault = "is required"): ApiError {
  const what = confirm?.of === "submission" ? "the submission's id" : "the form's name";
  return new ApiError("invalid_parameter", {
    param: "confirm",
    message: `\`confirm\` ${fault}: this can't be undone, so ask the person first, then send ${what}.`,
  });
}

/** Seals the call that a person is asked about, for the client to bring back: no other call is confirmed by the answer. */
export function sealed(tool: Tool, args: Arguments, { signer, now, caller }: Operations): string {
  const expires = now() + TTL_MS;
  return `${expires}.${signer.sign(callText(tool, args, caller.id, expires))}`;
}

/** True if a seal was made of this call, and less than ten minutes ago. */
export function isSealed(tool: Tool, args: Arguments, { signer, now, caller }: Operations, state: unknown): boolean {
  const [, time = "", signature = ""] =
    typeof state === "string" ? (/^(\d{1,16})\.([\w-]{1,200})$/.exec(state) ?? []) : [];
  return Number(time) > now() && signer.verify(callText(tool, args, caller.id, Number(time)), signature);
}

function callText({ name }: Tool, args: Arguments, caller: string, expires: number): string {
  const call = Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([name, call, caller, expires]))
    .digest("base64url");
}
