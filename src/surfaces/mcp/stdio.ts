import { createHmac, randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { ApiError } from "../../errors.ts";
import { describe } from "../../lib/message.ts";
import { sameSecret } from "../../lib/secret.ts";
import { SEES } from "../../model/keys.ts";
import type { Me } from "../../model/me.ts";
import { lastAnswers } from "./last-answers.ts";
import type { OperationName, Operations } from "./operations.ts";
import { settingsOf } from "./options.ts";
import { loadSdk } from "./sdk.ts";
import { createMcpServer } from "./server.ts";

/** The header that keeps fields from agents, for every request of the command line's server. */
export const agentHeader = { name: SEES, value: "agents" } as const;

/** The way of `serveMcp` to the management API, and its streams. */
export interface StdioOptions {
  /** Calls an operation of the management API by its name. */
  readonly call: (name: OperationName, input: object, options: { signal?: AbortSignal }) => Promise<unknown>;
  /** Leaves out every tool that changes or sends something. */
  readonly readOnly: boolean;
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Says something to the person; never on the output, which is the protocol's. */
  readonly say: (message: string) => void;
  readonly input?: Readable;
  readonly output?: Writable;
}

/**
 * Serves MCP over standard input and output until the input ends and what it asked is answered. Throws `ApiError` if the credential is refused or the backend
 * can't be reached, before the first message is read.
 */
export async function serveMcp({
  call,
  readOnly,
  signal,
  say,
  input = process.stdin,
  output,
}: StdioOptions): Promise<void> {
  const [sdk, stdio] = await Promise.all([loadSdk(), import("@modelcontextprotocol/server/stdio")]);
  const me = (await call("me", {}, { signal })) as Me;
  const operations = operationsOver(call, me);
  const settings = { ...settingsOf({ readOnly }), title: "Form Backend" };
  const onFault = (error: unknown): ApiError => {
    say(describe(error));
    return new ApiError("internal_error", { cause: error });
  };
  const answers = lastAnswers(input);
  const transport = new stdio.StdioServerTransport(answers.input, output);
  const ended = new Promise<void>((resolve) => {
    const server = stdio.serveStdio(() => createMcpServer(sdk, operations, settings, onFault), {
      transport,
      onerror: (error) => say(describe(error)),
    });
    const stop = () => void server.close().then(resolve, resolve);
    answers.watch(transport);
    // The transport closes itself at the end of the input.
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  await ended;
  answers.release();
}

function operationsOver(call: StdioOptions["call"], { auth, key_id, scopes }: Me): Operations {
  // Only this process asks and hears the answer.
  const key = randomBytes(32);
  const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");
  return {
    caller: { auth, id: key_id, scopes },
    now: () => Date.now(),
    signer: { sign, verify: (text, signature) => sameSecret(sign(text), signature) },
    call: (name, input, signal) => call(name, input, { signal }),
    async formName(form_id, signal) {
      try {
        return ((await call("retrieveForm", { form_id }, { signal })) as { name: string }).name;
      } catch (error) {
        // A key that may not read forms has never seen the name.
        if (error instanceof ApiError && error.code === "insufficient_scope") return form_id;
        throw error;
      }
    },
  };
}
