import type { IncomingMessage, ServerResponse } from "node:http";
import { httpReceiver } from "../receivers.ts";

/** One request that a service got. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every service
  readonly json: any;
  /** By the clock of the test. */
  readonly at: number;
}

export interface Said {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * `lost`: what was asked has happened, and the connection breaks before the answer. `hangs`: it has happened, and
 * nobody ever answers. `under way`: nobody ever answers, and it has not happened yet.
 */
export type Fate = Said | "lost" | "hangs" | "under way" | undefined;

/** A service on a socket. `fate` may take the place of an answer; `answer` does the work. */
export async function serviceOn(options: {
  readonly now: () => number;
  readonly answer: (got: Got) => Said | Promise<Said>;
}) {
  const got: Got[] = [];
  const state: { fate: (got: Got) => Fate } = { fate: () => undefined };
  const receiver = await httpReceiver(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const url = new URL(request.url ?? "/", "http://service");
    const one: Got = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      text,
      json: /^application\/json/.test(request.headers["content-type"] ?? "") ? JSON.parse(text) : undefined,
      at: options.now(),
    };
    got.push(one);
    const fate = state.fate(one);
    if (fate === "under way") return;
    const said = typeof fate === "object" ? fate : await options.answer(one);
    if (fate === "lost") {
      response.destroy();
      return;
    }
    if (fate === "hangs") return;
    response.writeHead(said.status, { "content-type": "application/json; charset=UTF-8", ...said.headers });
    response.end(said.json === undefined ? "" : JSON.stringify(said.json));
  });
  return { url: `http://127.0.0.1:${receiver.port}`, got, state, close: receiver.close };
}
