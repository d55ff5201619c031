import { expect, it } from "vitest";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };
const DAY_MS = 24 * 60 * 60_000;

async function start(): Promise<{ b: Harness; id: string }> {
  const b = harness();
  const { id } = await b.forms.create({ name: "A", after_submit: { page: { headline: "Danke" } } });
  return { b, id };
}

/** Posts as a browser does, and says where it is led. */
async function led(b: Harness, id: string, body = "name=Ann", headers: Record<string, string> = {}): Promise<string> {
  const answer = await b.post(id, body, { ...PAGE, ...headers });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([303, "no-store"]);
  return (answer.headers.get("location") ?? "").slice(b.baseUrl.length);
}

const open = (b: Harness, path: string): Promise<Answer> => b.call("GET", path, { key: null, headers: PAGE });

it("the page may be reloaded as often as one likes: it stores nothing", async () => {
  const { b, id } = await start();
  const path = await led(b, id);
  for (let i = 0; i < 3; i++) {
    const { status, text } = await open(b, path);
    expect([status, text.includes("<h1>Danke</h1>")]).toEqual([200, true]);
  }
  expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  expect((await b.call("HEAD", path, { key: null })).status).toBe(200);
});

it("says nothing of spam, and nothing of what was sent", async () => {
  const { b, id } = await start();
  const [ham, spam] = [await led(b, id, "name=Ann"), await led(b, id, "name=Ann&_gotcha=x")];
  const heldBy = (path: string): string =>
    Buffer.from(path.split("/thanks/")[1]?.split(".")[0] ?? "", "base64url").toString();
  expect(heldBy(spam)).toBe(heldBy(ham));
  expect(heldBy(ham)).not.toContain("Ann");
  expect((await open(b, spam)).text).toBe((await open(b, ham)).text);
});

it("leads back to the page for a day, and is the general page later", async () => {
  const { b, id } = await start();
  const path = await led(b, id, "name=Ann", { referer: "https://site.example/contact" });
  const link = 'href="https://site.example/contact"';
  await b.clock.advance(DAY_MS - 1_000);
  expect((await open(b, path)).text).toContain(link);
  await b.clock.advance(1_000);
  const late = await open(b, path);
  expect([late.status, late.text.includes("<h1>Danke</h1>"), late.text.includes(link)]).toEqual([200, true, false]);
});

it("a token that was changed, of another form, or of another secret is no address", async () => {
  const { b, id } = await start();
  const path = await led(b, id, "name=Ann", { referer: "https://site.example/contact" });
  const [head = "", token = ""] = path.split("/thanks/");
  const [payload = "", mac = ""] = token.split(".");
  const evil = Buffer.from(JSON.stringify([9e15, "https://evil.example/"])).toString("base64url");
  const other = await b.forms.create({ name: "B" });
  const foreign = harness({ secret: "another secret of more than 32 characters" });
  const theirs = await foreign.forms.create({ name: "C" });
  const forged = (await led(foreign, theirs.id)).split("/thanks/")[1];
  for (const wrong of [
    `${head}/thanks/${evil}.${mac}`,
    `${head}/thanks/${payload}.${mac.slice(0, -1)}`,
    `${head}/thanks/${payload}.${mac}.${mac}`,
    `${head}/thanks/${payload}`,
    `${head}/thanks/x`,
    `${head}/thanks/${forged}`,
    `/f/${other.id}/thanks/${token}`,
  ]) {
    const { status, text } = await open(b, wrong);
    expect([wrong, status, text.includes("evil.example")]).toEqual([wrong, 404, false]);
  }
  await b.forms.delete(id);
  expect((await open(b, path)).status).toBe(404);
});

it("a page with an address longer than proxies take is remembered by its origin", async () => {
  const { b, id } = await start();
  const referer = `https://site.example/?${"x".repeat(1_500)}`;
  const path = await led(b, id, "name=Ann", { referer });
  expect(path.length).toBeLessThan(300);
  expect((await open(b, path)).text).toContain('href="https://site.example"');
});

it.each([true, false])(
  "a repeat under one idempotency key gets the same address, and is stored once (the form stores: %s)",
  async (store_submissions) => {
    const { b, id } = await start();
    await b.forms.update(id, { storage: { store_submissions } });
    const post = (): Promise<string> =>
      led(b, id, "a=1&_idempotency_key=k", { referer: "https://site.example/contact" });
    const first = await post();
    await b.tick();
    await b.clock.advance(60_000);
    expect(await post()).toBe(first);
    expect((await open(b, first)).status).toBe(200);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  },
);

it("a script of another origin that asks for a page may read it", async () => {
  const { b, id } = await start();
  const { headers } = await open(b, await led(b, id));
  expect(headers.get("access-control-allow-origin")).toBe("*");
});
