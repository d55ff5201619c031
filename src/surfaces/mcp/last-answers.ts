import { type Readable, Transform } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** Stays open until the client cancels it, so that nothing waits for its answer. */
const LISTEN = "subscriptions/listen";

/** The input of a server, whose end waits for the answers to what was asked before it. */
export interface LastAnswers {
  /** The input for the transport. */
  readonly input: Readable;
  /** Begins to read, and sees what the transport receives and sends from now on. */
  watch(transport: Transport): void;
  /** Lets go of the input, which may be the process's. */
  release(): void;
}

/**
 * Ends `input` for the transport only once its requests are answered: the transport closes at the end of its input, and
 * somebody may pipe a few lines into the command.
 */
export function lastAnswers(input: Readable): LastAnswers {
  const open = new Set<string | number>();
  const asked = new Set<string | number>();
  let finish: (() => void) | null = null;
  const lines = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    // The transport reads the last chunk in this turn of the event loop.
    flush(done) {
      setImmediate(() => {
        finish = done;
        settle();
      });
    },
  });
  const fail = (error: Error): void => void lines.destroy(error);
  const gone = (): void => {
    if (!input.readableEnded) lines.destroy();
  };

  /** A question to the person has no answer once the input has ended, nor has the call that asks it. */
  function settle(): void {
    if (open.size === 0 || asked.size > 0) finish?.();
  }

  function received(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      if (message.id !== undefined) asked.delete(message.id);
    } else if ("id" in message) {
      if (message.method !== LISTEN) open.add(message.id);
    } else if (message.method === "notifications/cancelled") {
      const params = message.params as { requestId?: string | number } | undefined;
      if (params?.requestId !== undefined) open.delete(params.requestId);
    }
  }

  function sent(message: JSONRPCMessage): void {
    if (!("id" in message) || message.id === undefined) return;
    if ("method" in message) asked.add(message.id);
    else open.delete(message.id);
    settle();
  }

  return {
    input: lines,
    watch(transport) {
      const { onmessage } = transport;
      transport.onmessage = (message, extra) => {
        received(message);
        onmessage?.(message, extra);
      };
      const send = transport.send.bind(transport);
      transport.send = async (message, options) => {
        try {
          await send(message, options);
        } finally {
          sent(message);
        }
      };
      input.once("error", fail).once("close", gone).pipe(lines);
    },
    release() {
      input.off("error", fail).off("close", gone).unpipe(lines);
      input.pause();
    },
  };
}
