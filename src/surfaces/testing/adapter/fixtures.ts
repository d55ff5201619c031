import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Submission } from "../../../model/submissions.ts";
import type { FormBackend } from "../../form-backend.ts";
import { createTestBackend, type TestBackendOptions } from "../backend.ts";
import type { Case } from "../suite.ts";

/** A case's requirements for its server. */
export interface HostOptions {
  /** To be mounted at the path of its `baseUrl`. */
  readonly backend: FormBackend;
  /** Put the body parsers that the host's users have in front of it; hosts without any start as usual. */
  readonly preParsed: boolean;
  /** The options of `backend`, for a host in another process: it makes its own backend and returns it as `remote`. */
  readonly options: TestBackendOptions;
}

/** Parts of the backend under test that cases need besides requests. */
export interface BackendUnderTest {
  /** An API key with every scope. */
  readonly key: string;
  readonly forms: Pick<FormBackend["forms"], "create" | "update">;
  /** Every submission that was stored, oldest first. */
  readonly stored: readonly Submission[];
  /** Numbers of requests that reached the backend, and of its responses. */
  readonly seen: { readonly begun: number; readonly ended: number };
}

/** A server that really listens on 127.0.0.1. */
export interface RunningHost {
  /** Its origin, such as `http://127.0.0.1:4711`. */
  readonly url: string;
  close(): Promise<unknown>;
  /**
   * A path of the host's own that responds to `GET` with 200 and the text `own`. Leave it out if the adapter is the whole
   * server.
   */
  readonly ownPath?: string;
  /** The host's `Set-Cookie` on every response, set before the backend runs, if it has a way to. */
  readonly cookies?: readonly string[];
  /** The backend under test, if it is in another process. It reports `stored` before its response arrives. */
  readonly remote?: BackendUnderTest;
}

/** The tools of a case. */
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

/** A post that asks for JSON. */
export function post(url: string, body: string | Uint8Array<ArrayBuffer> | FormData, type?: string): Promise<Response> {
  const headers = { accept: "application/json", ...(type !== undefined && { "content-type": type }) };
  return fetch(url, { method: "POST", redirect: "manual", headers, body });
}

/** The status of a response and the code of its error envelope. */
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
  /** The text received since the last call, once it matches. Rejects if the connection ends or 15 s pass before. */
  until(pattern: RegExp): Promise<string>;
  /** Reads nothing before the next `until`, as clients do that send their whole request first. */
  hold(): void;
  /** True if the server has closed it. */
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

/** Waits until `condition` is true; throws after 15 s. */
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
