import type { Core } from "../../core/core.ts";
import type { Operation } from "../../core/http/route.ts";
import { WebResponse } from "../../lib/response.ts";
import type { Caller } from "../../model/keys.ts";
import { type AnswerOf, type Input, invoke } from "./invoke.ts";

/** `invoke` for a surface that works on with the answer: as data, also where the row writes it as text while it is sent. */
export async function invokeData<R extends Operation>(
  core: Core,
  row: R,
  caller: Caller,
  input: Input,
): Promise<AnswerOf<R>> {
  const result = await invoke(core, row, caller, input);
  return (result instanceof WebResponse ? await result.json() : result) as AnswerOf<R>;
}
