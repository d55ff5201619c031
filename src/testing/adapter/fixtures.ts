import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { FormBackend } from "../../backend.ts";
import type { Submission } from "../../submissions/schema.ts";
import { createTestBackend, type TestBackendOptions } from "../backend.ts";
import type { Case } from "../suite.ts";

/** What a case asks of the server it wants. */
export interface HostOptions {
  /** To be mounted at the path of its `baseUrl`. */
  readonly backend: FormBackend;
  /** Put the body parsers that the host's users have in front of it; hosts without any start as usual. */
  readonly preParsed: boolean;
  /** What `backend` was made with, for a host in another process: it makes one of its own and answers it as `remote`. */
  readonly options: TestBackendOptions;
}

/** What cases ask of the backend under test beside requests. */
export interface BackendUnderTest {
  /** An API key with every scope. */
  readonly key: string;
  readonly forms: Pick<FormBackend["forms"], "create" | "update">;
  /** Every submission that was stored, oldest first. */
  readonly stored: readonly Submission[];
  /** How many requests have reached the backend, and how many of them it has answered. */
  readonly seen: { readonly begun: number; readonly ended: number };
}

/** A server that really listens on 127.0.0.1. */
export interface RunningHost {
  /** Its origin, such as `http://127.0.0.1:4711`. */
  readonly url: string;
  close(): Promise<unknown>;
  /** A path of the host's own that answers `GET` with 200 and the text `own`. Leave out where the adapter is the whole server. */
  readonly ownPath?: string;
  /** What the host sets as `Set-Cookie` on every answer before the backend runs, when it has a way to. */
  readonly cookies?: readonly string[];
  /** The backend that answers, where it lives in another process. It has told what it `stored` before its answer arrives. */
  readonly remote?: BackendUnderTest;
}

/** What a case works with. */
export interface Hosted extends Pick<BackendUnderTest, "stored" | "seen"> {
  readonly backend: BackendUnderTest;
  readonly host: RunningHost;
  /** Origin and mount path. */
  readonly base: string;
  readonly formId: string;
  /** The form's address. */
  readonly endpoint: string;
  /** A request to the management API below the mount path. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
}

export type HostCase = Case<RunningHost, HostOptions>;

/** A case with a listening server and a form that is called `Contact`; both are closed afterwards, also when it fails. */
export function hostCase(
  name: string,
  run: (hosted: Hosted) => Promise<void>,
  { preParsed = false, ...options }: TestBackendOptions & { preParsed?: boolean } = {},
): HostCase {
  return {
    name,
    async run(create) {
      const backend = createTestBackend(options);
      const seen = { begun: 0, ended: 0 };
      const watched = <A extends unknown[]>(answer: (...args: A) => Promise<Response>) => {
        return async (...args: A): Promise<Response> => {
          seen.begun++;
          return answer(...args).finally(() => seen.ended++);
        };
      };
      const stored: Submission[] = [];
      backend.on("submission.created", (submission) => stored.push(submission));
      const host = await create({
        backend: { ...backend, fetch: watched(backend.fetch), handle: watched(backend.handle) },
        preParsed,
        options,
      });
      const under = host.remote ?? { ...backend, stored, seen };
      const base = host.url + new URL(backend.baseUrl).pathname.replace(/\/$/, "");
      const call = (method: string, path: string, body?: unknown): Promise<Response> =>
        fetch(`${base}${path}`, {
          method,
          headers: { authorization: `Bearer ${under.key}`, "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
      try {
        const { id: formId } = await under.forms.create({ name: "Contact" });
        const { stored, seen } = under;
        await run({ backend: under, host, base, formId, endpoint: `${base}/f/${formId}`, stored, seen, call });
      } finally {
        await host.close();
        await backend.close();
      }
    },
  };
}

export const URLENCODED = "application/x-www-form-urlencoded";

/** A post that asks for a JSON answer. */
export function post(url: string, body: string | Uint8Array<ArrayBuffer> | FormData, type?: string): Promise<Response> {
  const headers = { accept: "application/json", ...(type !== undefined && { "content-type": type }) };
  return fetch(url, { method: "POST", redirect: "manual", headers, body });
}

/** The status of an answer and the code of its error envelope. */
export async function refusal(response: Response): Promise<{ status: number; code: string | undefined }> {
  const text = await response.text();
  assert.match(
    response.headers.get("content-type") ?? "",
    /^application\/json/,
    `not our envelope: ${text.slice(0, 200)}`,
  );
  return { status: response.status, code: (JSON.parse(text) as { error?: { code: string } }).error?.code };
}

export const fieldsOf = (submission: Submission | undefined): Record<string, string> =>
  Object.fromEntries((submission?.fields ?? []).map(({ key, value }) => [key, value]));

/** A connection whose bytes are written and read by hand. */
export interface Wire {
  /** Resolves when the bytes are on their way. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** The text received since the last call, once it matches. Rejects when the connection ends or 15 s pass before. */
  until(pattern: RegExp): Promise<string>;
  /** Reads nothing before the next `until`, as clients do that send their whole request first. */
  hold(): void;
  /** Whether the server has closed it. */
  ended(): boolean;
  close(): void;
}

export async function wire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  // A client that has been told goodbye may still be sending.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = "";
  let fault: Error | undefined;
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", (error) => (fault = error));
  await once(socket, "connect");
  const ended = (): boolean => socket.destroyed || socket.readableEnded;
  return {
    ended,
    write: (bytes) =>
      new Promise((resolve) => {
        // The callback comes when the bytes have left, and with an error when they can't any more.
        if (socket.destroyed) resolve();
        else socket.write(bytes, () => resolve());
      }),
    hold: () => void socket.pause(),
    async until(pattern) {
      socket.resume();
      await eventually(`${pattern} on the wire`, () => {
        if (pattern.test(text)) return true;
        if (ended()) throw fault ?? new Error(`the connection ended after: ${text.slice(-300)}`);
        return false;
      });
      const received = text;
      text = "";
      return received;
    },
    close: () => socket.destroy(),
  };
}

/** Waits until `condition` holds; throws when it does not within 15 s. */
export async function eventually(what: string, condition: () => boolean): Promise<void> {
  const end = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`${what}: not within 15 s`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A chunk of a chunked body. */
export const chunk = (bytes: Uint8Array | string): Buffer => {
  const data = Buffer.from(bytes as string);
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
};

/** The head of a post by hand. */
export function head(url: string, more: Record<string, string>, method = "POST"): string {
  const { host, pathname } = new URL(url);
  const headers = { host, accept: "application/json", ...more };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
