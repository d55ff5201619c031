import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

/** Two databases with a team each, and the function by which a host chooses the backend of a request. */
async function world() {
  const dir = temporaryDirectory();
  const made = (name: string): TestBackend =>
    createTestBackend({
      baseUrl: `https://app.example/forms/${name}`,
      storage: sqliteStorage({ path: join(dir, `${name}.db`) }),
      rateLimit: false,
    });
  const backends = { eu: made("eu"), us: made("us") };
  onTestFinished(async () => {
    for (const b of Object.values(backends)) await b.close();
  });
  async function handle(request: Request): Promise<Response> {
    const { hostname, href } = new URL(request.url);
    for (const b of Object.values(backends)) {
      const isOurs =
        href.startsWith(`${b.baseUrl}/`) || (hostname !== "app.example" && (await b.hostAllowed(hostname)));
      if (isOurs) return b.handle(request);
    }
    return new Response(null, { status: 404 });
  }
  const team = async (b: TestBackend, id: string) => {
    await b.teams.create({ id, name: id, base_url: `https://forms.${id}.test` });
    const { id: form } = await b.forms.create({ name: "Contact", spam: { protection: false } }, { team_id: id });
    const { key } = await b.keys.create({ team_id: id, name: "k", scopes: "all" });
    return { form, key };
  };
  const post = (at: string, form: string) =>
    handle(
      new Request(`${at}/f/${form}`, {
        method: "POST",
        headers: { "content-type": "application/json", "sec-fetch-mode": "cors" },
        body: JSON.stringify({ message: "Hello" }),
      }),
    );
  const rows = (name: string): number => {
    const database = new DatabaseSync(join(dir, `${name}.db`), { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name LIKE '%submissions'").all();
    const [table] = (tables as { name: string }[]).filter((one) => !/trashed|pending|transient/.test(one.name));
    const [found] = database.prepare(`SELECT count(*) AS n FROM "${table?.name}"`).all() as { n: number }[];
    database.close();
    return found?.n ?? 0;
  };
  return { backends, handle, post, rows, acme: await team(backends.eu, "acme"), bolt: await team(backends.us, "bolt") };
}

it("a team's posts, keys and host lead to its own database, and nothing of it is in the other one", async () => {
  const { backends, handle, post, rows, acme, bolt } = await world();
  for (const [at, form, status] of [
    ["https://forms.acme.test", acme.form, 200],
    ["https://app.example/forms/eu", acme.form, 200],
    ["https://forms.bolt.test", bolt.form, 200],
    ["https://forms.bolt.test", acme.form, 404],
    ["https://app.example/forms/us", acme.form, 404],
    ["https://forms.nobody.test", acme.form, 404],
  ] as const)
    expect([at, (await post(at, form)).status]).toEqual([at, status]);
  expect([rows("eu"), rows("us")]).toEqual([2, 1]);
  const list = (b: TestBackend, key: string) =>
    handle(new Request(`${b.baseUrl}/v1/forms`, { headers: { authorization: `Bearer ${key}` } }));
  expect((await list(backends.eu, acme.key)).status).toBe(200);
  expect((await list(backends.us, acme.key)).status).toBe(401);
  const month = "2026-01";
  const used = await Promise.all(Object.values(backends).map((b) => b.usage({ month })));
  expect(
    used.flatMap(({ data }) => data.filter(({ accepted }) => accepted > 0).map((one) => [one.team_id, one.accepted])),
  ).toEqual([
    ["acme", 2],
    ["bolt", 1],
  ]);
});

it("the end of one database leaves the teams of the other alone", async () => {
  const { backends, post, rows, acme, bolt } = await world();
  await backends.eu.close();
  expect((await post("https://app.example/forms/eu", acme.form)).status).toBe(503);
  expect((await post("https://app.example/forms/us", bolt.form)).status).toBe(200);
  expect([rows("eu"), rows("us")]).toEqual([0, 1]);
});
