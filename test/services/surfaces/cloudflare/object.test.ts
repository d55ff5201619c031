import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Form } from "../../../../src/model/forms.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { type Site, startPeer, startSite } from "./_peer.ts";

const URLENCODED = "application/x-www-form-urlencoded";
const peer = await startPeer();
const bindings = { PEER: peer.url };

const newForm = async (site: Site): Promise<Form> => {
  const { value } = await site.call<Form>("forms.create", {
    name: "Contact",
    self_email_notification: { recipients: ["you@example.com"] },
  });
  return value;
};
const post = (site: Site, { id }: Form, body: string): Promise<Response> =>
  site.fetch(`/forms/f/${id}`, {
    method: "POST",
    headers: { "content-type": URLENCODED, accept: "application/json" },
    body,
  });
const state = async (site: Site): Promise<{ submissions: number; due: number }> => site.object().everything();

describe("formBackendObject in workerd", async () => {
  const site = await startSite({ bindings });

  it("takes 200 posts at once and does their mails and webhooks by alarms, each once", async () => {
    const form = await newForm(site);
    const hook = await site.call<{ id: string }>("webhooks.create", form.id, { url: `${peer.url}/hook` });
    expect(hook.value.id).toMatch(/./);
    const responses = await Promise.all(Array.from({ length: 200 }, (_, i) => post(site, form, `message=m${i}`)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    await expect.poll(() => new Set(peer.hooks.map(({ id }) => id)).size, { timeout: 60_000 }).toBe(200);
    expect(peer.hooks).toHaveLength(200);
    // An owner gets 60 an hour, and one summary of the rest.
    await expect.poll(() => peer.mails.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(60);
    expect(new Set(peer.mails.map(({ id }) => id)).size).toBe(peer.mails.length);
    expect((await state(site)).submissions).toBe(200);
  }, 180_000);

  it("keeps status, code, param and message of an ApiError over RPC", async () => {
    expect((await site.call("forms.get", "nope")).error).toMatchObject({
      name: "ApiError",
      status: 404,
      code: "form_not_found",
    });
    expect((await site.call("forms.create", { name: 1 })).error).toMatchObject({
      name: "ApiError",
      status: 400,
      code: "invalid_parameter",
      param: "name",
      message: expect.stringContaining("`name`"),
    });
  });

  it("answers a stream over RPC", async () => {
    const form = await newForm(site);
    await (await post(site, form, "city=Rome")).text();
    const { value } = await site.call<string>("submissions.export", form.id, { format: "csv" });
    expect(value).toContain("Rome");
  });

  it("serves the inbox", async () => {
    const { value } = await site.call<{ key: string }>("keys.create", { name: "k", scopes: "all" });
    const headers = { origin: "http://site.test", "sec-fetch-site": "same-origin", "content-type": URLENCODED };
    const entered = await site.fetch("/forms/inbox/sign-in", {
      method: "POST",
      headers,
      body: new URLSearchParams({ key: value.key }).toString(),
    });
    expect(entered.status).toBe(303);
    const cookie = entered.headers
      .getSetCookie()
      .map((one) => one.split(";", 1)[0])
      .join("; ");
    const page = await site.fetch("/forms/inbox", { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Contact");
  });

  it("passes what is not below baseUrl to `next`", async () => {
    expect(await (await site.fetch("/other")).text()).toBe("own");
    expect(await (await site.fetch("/formsandmore")).text()).toBe("own");
    expect((await site.fetch("/forms/v1/health")).status).toBe(200);
  });

  it("refuses a file over 1 MB while there is no R2, and keeps a smaller one", async () => {
    const form = await newForm(site);
    const send = async (bytes: number): Promise<Response> => {
      const body = new FormData();
      body.set("photo", new Blob([new Uint8Array(bytes).fill(65)], { type: "text/plain" }), "a.txt");
      const request = new Request("http://site.test/", { method: "POST", body });
      return site.fetch(`/forms/f/${form.id}`, {
        method: "POST",
        headers: { "content-type": request.headers.get("content-type") ?? "", accept: "application/json" },
        body: await request.arrayBuffer(),
      });
    };
    const large = await send(1024 * 1024 + 1);
    expect(large.status).toBe(413);
    expect((await send(1024 * 1024)).status).toBe(200);
  });
});

describe("many objects", () => {
  it("of one process serve their teams at once, and none waits for another", async () => {
    const first = await startSite({ bindings });
    const ask = (team: number, path: string, init: RequestInit = {}): Promise<Response> =>
      first.fetch(path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), "x-team": `team-${team}` },
      });
    const forms = await Promise.all(
      Array.from({ length: 20 }, async (_, team) => {
        const body = JSON.stringify({ call: "forms.create", args: [{ name: `Form of ${team}` }] });
        return ((await (await ask(team, "/rpc", { method: "POST", body })).json()) as { value: Form }).value;
      }),
    );
    const headers = { "content-type": URLENCODED, accept: "application/json" };
    const responses = await Promise.all(
      forms.flatMap(({ id }, team) =>
        Array.from({ length: 10 }, (_, i) =>
          ask(team, `/forms/f/${id}`, { method: "POST", headers, body: `message=t${team}p${i}` }),
        ),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    // Each object has its own forms alone.
    const lists = await Promise.all(
      forms.map(async (_, team) => {
        const body = JSON.stringify({ call: "forms.list", args: [] });
        const { value } = (await (await ask(team, "/rpc", { method: "POST", body })).json()) as {
          value: { data: Form[] };
        };
        return value.data.map(({ name }) => name);
      }),
    );
    expect(lists).toEqual(forms.map(({ name }) => [name]));
    expect((await ask(1, `/forms/f/${forms[0]?.id}`, { method: "POST", headers, body: "a=b" })).status).toBe(404);
  }, 120_000);
});

describe("an object that is restarted", () => {
  const folder = mkdtempSync(join(tmpdir(), "form-backend-objects-"));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  const kept = { bindings, durableObjectsPersist: folder };

  it("loses no post of 50 clients and stores none twice; the alarms go on by themselves", async () => {
    const before = { hooks: peer.hooks.length };
    let site = await startSite(kept);
    const form = await newForm(site);
    await site.call("webhooks.create", form.id, { url: `${peer.url}/hook` });
    const accepted = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const clients = Array.from({ length: 50 }, async (_, client) => {
        for (let i = 0; i < 4; i++) {
          const message = `r${round}c${client}i${i}`;
          const response = await post(site, form, `message=${message}`).catch(() => null);
          if (response?.status === 200) accepted.add(message);
          await response?.arrayBuffer().catch(() => {});
        }
      });
      // In the middle of the posts, as an eviction or a deploy comes.
      if (round < 3) {
        await expect.poll(() => accepted.size, { interval: 5 }).toBeGreaterThan(round * 100 + 20);
        const old = site;
        await old.workerd.dispose();
        await Promise.all(clients);
        site = await startSite(kept);
        await site.fetch("/forms/v1/health").then((response) => response.arrayBuffer());
      } else await Promise.all(clients);
    }
    const { value } = await site.call<string>("submissions.export", form.id, { format: "csv" });
    const stored: string[] = [...(value.match(/r\dc\d+i\d/g) ?? [])];
    expect(accepted.size).toBeGreaterThan(200);
    expect([...accepted].filter((message) => !(stored as readonly string[]).includes(message))).toEqual([]);
    expect(new Set(stored).size).toBe(stored.length);
    await expect
      .poll(() => new Set(peer.hooks.slice(before.hooks).map(({ body }) => /r\dc\d+i\d/.exec(body)?.[0])).size, {
        timeout: 120_000,
      })
      .toBe(stored.length);
  }, 300_000);

  it("tries again what failed, at the time of the backend's clock", async () => {
    peer.status = 500;
    let site = await startSite(kept);
    const form = await newForm(site);
    await site.call("webhooks.create", form.id, { url: `${peer.url}/hook` });
    await (await post(site, form, "message=late")).arrayBuffer();
    await expect.poll(async () => (await site.call<number | null>("nextDueAt")).value).not.toBeNull();
    await site.workerd.dispose();
    peer.status = 200;
    const seen = peer.hooks.length;
    // Two days later by its clock.
    site = await startSite({ ...kept, bindings: { ...bindings, AHEAD: String(2 * 24 * 3_600_000) } });
    await (await site.fetch("/forms/v1/health")).arrayBuffer();
    await site.call("tick");
    await expect.poll(() => peer.hooks.slice(seen).some(({ body }) => body.includes("late"))).toBe(true);
  }, 300_000);
});
