import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

/** A harness with a short way to call the legacy API. */
export interface LegacyHarness extends Harness {
  /** An object body goes as JSON, URLSearchParams as urlencoded; `key: null` sends no `api_key`. */
  legacy(method: string, path: string, options?: LegacyCall): Promise<Answer>;
  /** Creates a form with these parameters and answers its id. Throws when the create is refused. */
  made(parameters: Record<string, unknown>): Promise<string>;
  /** The form as v1 answers it over HTTP. */
  form(id: string): Promise<Record<string, unknown>>;
}

interface LegacyCall {
  body?: object | string;
  key?: string | null;
  headers?: Record<string, string>;
}

export function legacyHarness(options: TestBackendOptions = {}): LegacyHarness {
  const backend = harness(options);
  const root = (options.legacyBaseUrl ?? backend.baseUrl).replace(/\/$/, "");
  async function legacy(method: string, path: string, { body, key = backend.key, headers = {} }: LegacyCall = {}) {
    const encoded = body instanceof URLSearchParams || typeof body === "string" ? String(body) : JSON.stringify(body);
    const type = body instanceof URLSearchParams ? "application/x-www-form-urlencoded" : "application/json";
    const response = await backend.handle(
      new Request(root + path, {
        method,
        headers: { ...(key !== null && { api_key: key }), ...(body && { "content-type": type }), ...headers },
        body: encoded ?? null,
      }),
      { ip: "203.0.113.9" },
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : null };
  }
  return Object.assign(backend, {
    legacy,
    async made(parameters: Record<string, unknown>) {
      const { status, json } = await legacy("PUT", "/api/form", { body: { name: "Contact", ...parameters } });
      if (status !== 200) throw new Error(`${status} ${json.message}`);
      return new URL(json.formUrl).pathname.split("/").at(-1) as string;
    },
    form: async (id: string) => (await backend.call("GET", `/v1/forms/${id}`)).json,
  });
}

/** The value at a dot path. */
export const leaf = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
