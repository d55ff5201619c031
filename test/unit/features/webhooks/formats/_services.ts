import type { IncomingMessage } from "node:http";
import type { urls } from "../../../../_support/format-events.ts";
import { httpReceiver, type Receiver } from "../../../../_support/receivers.ts";
import type { Submitted } from "../../submissions/_submissions.ts";
import { submitted } from "../../submissions/_submissions.ts";

export type Service = Exclude<keyof typeof urls, "standard">;

/** One answer of a service, as its documentation has it. */
export interface Said {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Heard {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** A server that plays one service: it answers as it is told, and keeps what it hears. */
export interface Played extends Receiver {
  readonly heard: Heard[];
  answer(said: Said): void;
}

export async function play(): Promise<Played> {
  const heard: Heard[] = [];
  let answer: Said = { status: 200, body: "ok" };
  const receiver = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    heard.push({
      path: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
    });
    const { status, body = "", headers = {} } = answer;
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return Object.assign(receiver, {
    heard,
    answer(said: Said) {
      answer = said;
    },
  });
}

/** The URL of a service, at the server that plays it. */
export function localUrl(url: string, { port }: Pick<Receiver, "port">): string {
  const { pathname, search } = new URL(url);
  return `http://127.0.0.1:${port}${pathname}${search}`;
}

/** A form with one webhook of a format, which really sends. */
export async function hookedTo(format: Service, url: string): Promise<Submitted & { path: string; hook: string }> {
  const b = await submitted({
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.1/32"] },
    plans: { unlimited: { webhooks_per_form: 10 } },
  });
  await b.teams.update("default", { owner: { email: "owner@example.com" } });
  const path = `/v1/forms/${b.id}/webhooks`;
  const { status, json, text } = await b.call("POST", path, { body: { url, format } });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return Object.assign(b, { path, hook: json.id as string });
}
