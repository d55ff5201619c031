import { ApiError, wrongParameter } from "../../errors.ts";
import { shapeOf } from "../../lib/shape-of.ts";
import { definitionOf } from "./definition.ts";
import { lacking, type Operations, rows } from "./operations.ts";
import { answerOf } from "./pages.ts";
import type { Arguments, Tool } from "./tool.ts";

/** Checks a call before anything is read. Throws `insufficient_scope`, `invalid_parameter`. */
export function assertCallable(tool: Tool, args: Arguments, { caller }: Operations): void {
  const needed = rows[tool.operation].scopes ?? [];
  const missing = lacking(caller, needed);
  if (missing.length > 0) {
    throw new ApiError("insufficient_scope", {
      required: missing,
      message: `The credential lacks the scope ${missing.join(", ")}.`,
    });
  }
  const { properties, required = [] } = definitionOf(tool).inputSchema;
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(properties, name)) continue;
    const why = tool.withheld?.[name] ?? `is unknown here; it takes ${Object.keys(properties).join(", ")}`;
    throw wrongParameter(name, why);
  }
  for (const name of required) if (args[name] === undefined) throw wrongParameter(name, "is required");
  for (const [, name = ""] of rows[tool.operation].path.matchAll(/:(\w+)/g)) {
    if (typeof args[name] !== "string" || args[name] === "") throw wrongParameter(name, "must be a string");
  }
}

/** Calls a tool that may be called. Throws `ApiError`. */
export async function call(tool: Tool, args: Arguments, ops: Operations, signal: AbortSignal): Promise<object> {
  const { confirm: _, ...given } = args;
  const answer = await answerOf(tool, given, async (asked) => {
    signal.throwIfAborted();
    const input = { ...(tool.input ? tool.input(asked) : asked), ...tool.fixed };
    return (await ops.call(tool.operation, input, signal)) as object;
  });
  return tool.answer ? { ...(shapeOf(tool.answer).parse(answer) as object), ...cutOf(answer) } : answer;
}

const cutOf = (answer: object): object => ("cut" in answer && Array.isArray(answer.cut) ? { cut: answer.cut } : {});
