import type { InboxLink, InboxUser } from "../../../../src/index.ts";
import { type InboxOptions, inbox } from "../../../../src/surfaces/inbox/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

/** An answer of the inbox. */
export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** A browser at an inbox: it keeps cookies, and says where its requests come from. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  post(path: string, body?: Record<string, string | string[]>, headers?: Record<string, string | null>): Promise<Page>;
  send(
    method: string,
    path: string,
    headers: Record<string, string | null>,
    body: string | Uint8Array<ArrayBuffer> | null,
  ): Promise<Page>;
  readonly jar: Map<string, string>;
}

export interface InboxHarness extends Harness {
  /** Somebody whom the host knows. */
  as(user: Partial<InboxUser>): Visitor;
  /** Somebody with a cookie jar of their own, whom nobody knows yet. */
  stranger(): Visitor;
  /** Somebody who came in by a link. */
  guest(link?: Partial<InboxLink>): Promise<Visitor>;
}

export const ann: InboxUser = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" };

/** A backend with an inbox whose `authenticate` reads the user from the header `x-user`. */
export function inboxHarness(options: InboxOptions = {}, more: TestBackendOptions = {}): InboxHarness {
  const backend = harness({
    ...more,
    inbox: inbox({
      authenticate: ({ headers }) => JSON.parse(decodeURIComponent(headers.get("x-user") ?? "null")),
      ...options,
    }),
  });
  const base = `${backend.baseUrl}${options.path ?? "/inbox"}`;
  const visitor = (user: object | null): Visitor => {
    const jar = new Map<string, string>();
    const send = async (
      method: string,
      path: string,
      headers: Record<string, string | null>,
      body: string | Uint8Array<ArrayBuffer> | null,
    ) => {
      const sent = new Headers();
      if (user) sent.set("x-user", encodeURIComponent(JSON.stringify(user)));
      if (jar.size > 0) sent.set("cookie", [...jar].map((pair) => pair.join("=")).join("; "));
      for (const [name, value] of Object.entries(headers)) if (value !== null) sent.set(name, value);
      const url = /^https?:/.test(path) ? path : base + path;
      const response = await backend.handle(new Request(url, { method, headers: sent, body }), { ip: "203.0.113.9" });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (/Max-Age=0/.test(cookie)) jar.delete(name);
        else jar.set(name, value);
      }
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    const own = { "sec-fetch-site": "same-origin", origin: new URL(base).origin };
    return {
      jar,
      send: (method, path, headers, body) => send(method, path, { ...own, ...headers }, body),
      get: (path, headers = {}) => send("GET", path, { "sec-fetch-site": "same-origin", ...headers }, null),
      post(path, body = {}, headers = {}) {
        const form = new URLSearchParams();
        for (const [name, value] of Object.entries(body)) for (const one of [value].flat()) form.append(name, one);
        const type = { "content-type": "application/x-www-form-urlencoded" };
        return send("POST", path, { ...type, ...own, ...headers }, form.toString());
      },
    };
  };
  return Object.assign(backend, {
    as: (user: Partial<InboxUser>) => visitor({ ...ann, ...user }),
    stranger: () => visitor(null),
    async guest(link: Partial<InboxLink> = {}) {
      const { url } = await backend.inbox.link({
        team_ids: ["default"],
        role: "admin",
        user: { id: "guest", name: "Guest" },
        ...link,
      });
      const someone = visitor(null);
      await someone.post("/enter", { token: new URL(url).searchParams.get("token") ?? "" });
      return someone;
    },
  });
}
