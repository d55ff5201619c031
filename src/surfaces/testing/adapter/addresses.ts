import assert from "node:assert/strict";
import { type HostCase, head, hostCase, post, refusal, URLENCODED, wire } from "./fixtures.ts";

const served = async ({ endpoint, call }: Parameters<Parameters<typeof hostCase>[1]>[0]): Promise<void> => {
  assert.equal((await post(endpoint, "name=Ann", URLENCODED)).status, 200);
  const list = await call("GET", "/v1/forms?limit=1");
  assert.equal(list.status, 200);
  assert.equal(((await list.json()) as { data: unknown[] }).data.length, 1);
};

export const addressCases: readonly HostCase[] = [
  hostCase("the backend answers under the path of its base URL", served),
  hostCase("a mount path of several segments", served, { baseUrl: "http://localhost/api/v2/forms" }),
  hostCase("a backend at the root", served, { baseUrl: "http://localhost" }),

  hostCase("a slash at the end of an address makes no difference", async ({ endpoint, base, backend, stored }) => {
    assert.equal((await post(`${endpoint}/`, "name=Ann", URLENCODED)).status, 200);
    assert.equal(stored.length, 1);
    const list = await fetch(`${base}/v1/forms/?limit=1`, { headers: { authorization: `Bearer ${backend.key}` } });
    assert.equal(list.status, 200);
  }),

  hostCase("unknown addresses below the mount path get our envelope", async ({ base, backend }) => {
    for (const path of ["", "/", "/nothing", "/f", "/f/", "//", "/v1", "/v1/nothing?q=%"]) {
      const found = await refusal(await fetch(base + path));
      assert.deepEqual({ path, ...found }, { path, status: 404, code: "not_found" });
    }
    const wrong = await fetch(`${base}/v1/forms`, {
      method: "PUT",
      headers: { authorization: `Bearer ${backend.key}` },
    });
    assert.match(wrong.headers.get("allow") ?? "", /GET/);
    assert.deepEqual(await refusal(wrong), { status: 405, code: "method_not_allowed" });
  }),

  hostCase("malformed addresses are refused, and the server lives on", async ({ base, endpoint, host }) => {
    for (const path of ["/%zz", "/f/%E0%A4%A", "/f/%00", "/f/%", "/v1/forms/%C0%AF", "/f/a?%E0%A4%A=%"]) {
      const connection = await wire(host.url);
      await connection.write(head(base, {}, "GET").replace(" HTTP", `${path} HTTP`));
      assert.match(await connection.until(/\r\n\r\n/), /^HTTP\/1\.1 40[0145] /, path);
      connection.close();
    }
    const connection = await wire(host.url);
    await connection.write(head(endpoint, { host: "a b<>" }, "GET"));
    await connection.until(/^HTTP\/1\.1 [1-5]/);
    connection.close();
    assert.equal((await post(endpoint, "name=Ann", URLENCODED)).status, 200);
  }),

  hostCase("percent-encoding in a path is decoded once", async ({ call, formId }) => {
    const recipients = `/v1/forms/${formId}/self-email-notification/recipients`;
    for (const email of ["a+b/c@example.com", "50%2Boff@example.com"]) {
      assert.equal((await call("POST", recipients, { email })).status, 200, email);
      const removed = await call("DELETE", `${recipients}/${encodeURIComponent(email)}`);
      assert.equal(removed.status, 200, await removed.text());
    }
    assert.deepEqual(await refusal(await call("GET", "/v1/forms/a%2Fb")), { status: 404, code: "form_not_found" });
  }),

  hostCase("query strings arrive as they were sent", async ({ call }) => {
    const refused = await call("GET", "/v1/forms?limit=1&limit=2");
    assert.equal(((await refused.json()) as { error: { param: string } }).error.param, "limit");
    const named = await call("GET", "/v1/forms?a%26b%3D%2B=1");
    assert.equal(((await named.json()) as { error: { param: string } }).error.param, "a&b=+");
  }),

  hostCase("HEAD answers as GET does, without a body", async ({ base, backend, host }) => {
    const headers = { authorization: `Bearer ${backend.key}` };
    const [get, bare] = await Promise.all(
      ["GET", "HEAD"].map((method) => fetch(`${base}/v1/forms`, { method, headers })),
    );
    assert.equal(bare?.status, 200);
    assert.equal(bare.headers.get("content-type"), get?.headers.get("content-type"));
    assert.equal(await bare.text(), "");

    const connection = await wire(host.url);
    for (const path of ["/v1/forms", "/nothing"]) {
      await connection.write(head(`${base}${path}`, headers, "HEAD"));
      const answer = await connection.until(/\r\n\r\n/);
      assert.match(answer, path === "/nothing" ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 200 /);
      assert.match(answer, /\r\n\r\n$/, "a HEAD answer must end with its headers");
    }
    connection.close();
  }),

  hostCase("redirects reach the client", async ({ backend, endpoint, formId }) => {
    const target = "https://example.com/danke-schön/日本?a=1&b=ü";
    await backend.forms.update(formId, { after_submit: { redirect: { success_url: target } } });
    const headers = { "content-type": URLENCODED, accept: "text/html" };
    const response = await fetch(endpoint, { method: "POST", redirect: "manual", headers, body: "name=Ann" });
    assert.equal(response.status, 303);
    assert.equal(new URL(response.headers.get("location") ?? "").href, new URL(target).href);
    assert.equal(await response.text(), "");
  }),

  hostCase("the host's own addresses and cookies stay", async ({ host, endpoint }) => {
    for (const url of [`${host.url}${host.ownPath}`, endpoint]) {
      if (host.ownPath === undefined && url !== endpoint) continue;
      const response = url === endpoint ? await post(url, "name=Ann", URLENCODED) : await fetch(url);
      assert.equal(response.status, 200);
      const text = await response.text();
      if (url !== endpoint) assert.equal(text, "own");
      assert.deepEqual(
        response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]),
        [...(host.cookies ?? [])],
      );
    }
  }),
];
