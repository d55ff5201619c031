import { afterEach, beforeEach, expect, it } from "vitest";
import { type Submitted, submitted } from "../../submissions/_submissions.ts";
import { type Played, play } from "./_services.ts";

let zap: Played;
beforeEach(async () => {
  zap = await play();
});
afterEach(() => zap.close());

/** What an app on Zapier, Make or n8n does with the API, as docs/guide/automation.md has it. */
function hookApp(b: Submitted, port: number) {
  const path = `/v1/forms/${b.id}/webhooks`;
  return {
    async subscribe(): Promise<string> {
      const body = { url: `http://127.0.0.1:${port}/hooks/standard/1/abc/`, format: "flat", description: "Zapier" };
      const { status, json } = await b.call("POST", path, { body });
      expect(status).toBe(201);
      return json.id;
    },
    unsubscribe: async (id: string) => (await b.call("DELETE", `${path}/${id}`)).status,
    async sample(): Promise<Record<string, unknown>[]> {
      const { json } = await b.call("GET", `/v1/forms/${b.id}/submissions?limit=3`);
      return json.data.map(({ id, form_id, created_at, fields }: Sampled) => ({
        ...Object.fromEntries(fields.map(({ key, value }) => [key, value])),
        submission_id: id,
        form_id,
        created_at,
      }));
    },
  };
}

interface Sampled {
  readonly id: string;
  readonly form_id: string;
  readonly created_at: string;
  readonly fields: readonly { key: string; value: string }[];
}

const live = { webhooks: { allowHttp: true, allowCidrs: ["127.0.0.1/32"] } };

it("an app subscribes, samples, receives what it sampled, and unsubscribes", async () => {
  const b = await submitted(live);
  const app = hookApp(b, zap.port);
  for (const n of ["1", "2", "3", "4"]) await b.submitted({ email: `${n}@example.com`, n });
  const samples = await app.sample();
  expect(samples.map(({ n }) => n)).toEqual(["4", "3", "2"]);

  const id = await app.subscribe();
  await b.submitted({ email: "5@example.com", n: "5" });
  await b.tick();
  expect(zap.heard.map(({ body }) => body)).toEqual(await app.sample().then(([newest]) => [newest]));

  expect(await app.unsubscribe(id)).toBe(200);
  await b.submitted({ n: "6" });
  await b.tick();
  expect(zap.heard).toHaveLength(1);
});

it("a hook that answers 410 is paused, and makes room for the next subscription once it is deleted", async () => {
  const b = await submitted(live);
  const app = hookApp(b, zap.port);
  const id = await app.subscribe();
  zap.answer({ status: 410 });
  await b.submitted({ n: "1" });
  await b.tick();
  expect(await b.webhooks.get(b.id, id)).toMatchObject({ enabled: false });
  zap.answer({ status: 200 });
  await b.submitted({ n: "2" });
  await b.clock.advance(60_000);
  expect(zap.heard).toHaveLength(1);
  expect(await app.unsubscribe(id)).toBe(200);
  expect(await app.subscribe()).not.toBe(id);
});
