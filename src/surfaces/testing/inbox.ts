import assert from "node:assert/strict";
import { inbox } from "../inbox/index.ts";
import { type HostCase, type Hosted, hostCase, post } from "./adapter/fixtures.ts";

/** A browser that signed in with an API key. */
interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

const options = { inbox: inbox({ apiKeys: true }) };
/** The origin of pages of the backend's `baseUrl`, on any port of the host. */
const OWN = { "sec-fetch-site": "same-origin", origin: "http://localhost:3000" };

function browser(base: string, cookie: () => string): Browser {
  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${base}/inbox${path}`, { redirect: "manual", ...init });
  return {
    get: (path, headers = {}) => send(path, { headers: { cookie: cookie(), ...headers } }),
    post: (path, body, headers = OWN) =>
      send(path, { method: "POST", body: new URLSearchParams(body), headers: { cookie: cookie(), ...headers } }),
  };
}

/** Signs in and runs a case. */
const inboxCase = (name: string, run: (hosted: Hosted, page: Browser) => Promise<void>): HostCase =>
  hostCase(
    `inbox: ${name}`,
    async (hosted) => {
      let cookie = "";
      const page = browser(hosted.base, () => cookie);
      const entered = await page.post("/sign-in", { key: hosted.backend.key });
      assert.equal(entered.status, 303, "signing in with an API key must lead to the forms");
      // A host may set cookies of its own.
      const jar = entered.headers.getSetCookie().map((one): [string, string] => [one.split("=", 1)[0] ?? "", one]);
      cookie = [...new Map(jar).values()].map((one) => one.split(";", 1)[0]).join("; ");
      await run(hosted, page);
    },
    options,
  );

/** The path below the inbox of an address that a page names. */
const pathIn = (text: string, pattern: RegExp): string => {
  const [, url = ""] = pattern.exec(text) ?? [];
  assert.notEqual(url, "", `the page names no ${pattern}`);
  return new URL(url).pathname.replace(/^.*?\/inbox/, "");
};

/**
 * The conformance suite of the inbox behind an adapter, over real sockets: a page, its files, an action, a request of another
 * site, an export and the poll. `create` is that of `adapterSuite`.
 *
 * @example
 * for (const c of inboxSuite) it(c.name, () => c.run(create), 30_000);
 */
export const inboxSuite: readonly HostCase[] = [
  inboxCase(
    "shows a page with its policy, to whoever is signed in and nobody else",
    async ({ base, formId, endpoint }, page) => {
      await post(endpoint, "message=Do+you+deliver%3F", "application/x-www-form-urlencoded");
      const list = await page.get(`/f/${formId}`);
      assert.equal(list.status, 200);
      assert.match(list.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'/);
      assert.match(list.headers.get("cache-control") ?? "", /no-store/);
      assert.match(await list.text(), /Do you deliver\?/);
      const stranger = await browser(base, () => "").get(`/f/${formId}`);
      assert.equal(stranger.status, 303);
      assert.match(stranger.headers.get("location") ?? "", /\/inbox\/sign-in\?next=/);
    },
  ),
  inboxCase("serves its files under addresses that name their content", async ({ formId }, page) => {
    const text = await (await page.get(`/f/${formId}`)).text();
    for (const pattern of [/src="([^"]+\/assets\/inbox-\w+\.js)"/, /href="([^"]+\/assets\/inbox-\w+\.css)"/]) {
      const path = pathIn(text, pattern);
      const file = await page.get(path);
      assert.equal(file.status, 200);
      assert.match(file.headers.get("cache-control") ?? "", /immutable/);
      assert.ok((await file.text()).length > 1_000, `${path} is empty`);
      assert.equal((await page.get(path.replace(/-\w+\./, "-0."))).status, 404);
    }
  }),
  inboxCase("acts, and leads back with a cookie that says so", async ({ formId, endpoint, stored }, page) => {
    await post(endpoint, "a=b", "application/x-www-form-urlencoded");
    const done = await page.post(`/f/${formId}/bulk`, { action: "mark_read", ids: stored[0]?.id ?? "" });
    assert.equal(done.status, 303);
    assert.match(done.headers.get("location") ?? "", new RegExp(`/inbox/f/${formId}$`));
    assert.match(done.headers.getSetCookie().join(), /-done=mark_read\.1/);
    assert.doesNotMatch(await (await page.get(`/f/${formId}`)).text(), /class="unread"/);
  }),
  inboxCase("takes nothing from another site", async ({ formId }, page) => {
    for (const headers of [
      { "sec-fetch-site": "cross-site", origin: "http://localhost:3000" },
      { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
      { "sec-fetch-site": "same-site" },
    ]) {
      assert.equal((await page.post(`/f/${formId}/bulk`, { action: "mark_read", ids: "x" }, headers)).status, 403);
    }
  }),
  inboxCase("exports a stream", async ({ formId, endpoint }, page) => {
    await post(endpoint, "city=Rome", "application/x-www-form-urlencoded");
    const file = await page.get(`/f/${formId}/export?format=csv`);
    assert.match(file.headers.get("content-disposition") ?? "", /^attachment; filename="/);
    assert.match(await file.text(), /Rome/);
  }),
  inboxCase("polls, and answers 304 while nothing changes", async ({ formId }, page) => {
    const first = await page.get(`/poll?form=${formId}`);
    assert.equal(first.status, 200);
    await first.arrayBuffer();
    const etag = first.headers.get("etag") ?? "";
    assert.equal((await page.get(`/poll?form=${formId}`, { "if-none-match": etag })).status, 304);
  }),
];
