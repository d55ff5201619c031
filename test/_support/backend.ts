import type { Scope } from "../../src/index.ts";
import type { OpenApiDocument } from "../../src/surfaces/api/document.ts";
import { createTestBackend, type TestBackend, type TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { type Hold, heldTo } from "./held-to-openapi.ts";

/** A test backend with a short way to call it over HTTP semantics, without a socket. */
export interface Harness extends TestBackend {
  /** Calls `path` below the base URL; an object body goes as JSON; `key: null` sends no credential. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Posts urlencoded text, or JSON where the body is an object, to a form's endpoint, as a script's `fetch` does. */
  post(
    formId: string,
    body: string | object | URLSearchParams | FormData,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** A key of the default team with these scopes. */
  keyWith(
    scopes: Scope[] | "all",
    more?: { form_ids?: string[]; expires_at?: string; team_id?: string },
  ): Promise<string>;
}

export interface CallOptions {
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  json: any;
}

/** Longer answers are lists of what shorter ones have too. */
const MOST_HELD = 200_000;
let hold: Hold | undefined;

/** Holds what the API answers against its own document. */
function held(backend: TestBackend, request: Request, answer: Answer): Answer {
  const path = request.url.slice(backend.baseUrl.length);
  const isOneJson = /^application\/json\b/.test(answer.headers.get("content-type") ?? "");
  if (!path.startsWith("/v1/") || !isOneJson || answer.text.length > MOST_HELD) return answer;
  hold ??= heldTo(createTestBackend().openapi() as OpenApiDocument);
  hold(request.method, path, answer.status, answer.json);
  return answer;
}

/** `holds: false` for a store that somebody has spoiled, whose answers need not be as the API document says. */
export function harness(options: TestBackendOptions = {}, { holds = true } = {}): Harness {
  const backend = createTestBackend(options);
  const send = async (request: Request): Promise<Answer> => {
    const response = await backend.handle(request, { ip: "203.0.113.9" });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    const json = isJson && text ? JSON.parse(text) : null;
    const answer = { status: response.status, headers: response.headers, text, json };
    return holds ? held(backend, request, answer) : answer;
  };
  return Object.assign(backend, {
    call: (method: string, path: string, { body, key = backend.key, headers = {} }: CallOptions = {}) =>
      send(
        new Request(backend.baseUrl + path, {
          method,
          headers: {
            ...(key !== null && { authorization: `Bearer ${key}` }),
            ...(body !== undefined && typeof body !== "string" && { "content-type": "application/json" }),
            ...headers,
          },
          body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    post(formId: string, body: string | object | URLSearchParams | FormData, headers: Record<string, string> = {}) {
      const json = typeof body === "object" && !(body instanceof URLSearchParams) && !(body instanceof FormData);
      const type = json
        ? { "content-type": "application/json" }
        : body instanceof FormData
          ? {}
          : { "content-type": "application/x-www-form-urlencoded" };
      return send(
        new Request(`${backend.baseUrl}/f/${formId}`, {
          method: "POST",
          headers: { "sec-fetch-mode": "cors", ...type, ...headers },
          body: json ? JSON.stringify(body) : (body as string),
        }),
      );
    },
    keyWith: async (scopes: Scope[] | "all", more: object = {}) =>
      (await backend.keys.create({ name: "k", scopes, ...more })).key,
  });
}
