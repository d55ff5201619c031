import { onTestFinished } from "vitest";
import type { FormBackendOptions, WebhookCreate } from "../../../../../src/index.ts";
import { testClock } from "../../../../../src/surfaces/testing/clock.ts";
import { mortals } from "../../../../_support/destinations/mortal.ts";
import type { Fate, Got } from "../../../../_support/destinations/server.ts";
import { submitted } from "../../submissions/_submissions.ts";

interface Fake {
  readonly options: NonNullable<FormBackendOptions["integrations"]>;
  readonly fate: { fate: (got: Got) => Fate };
  close(): Promise<void>;
}

/** A form with a webhook to a service. */
export async function withService<F extends Fake>(open: (now: () => number) => Promise<F>, body: WebhookCreate) {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const service = await open(clock.now);
  onTestFinished(service.close);
  const b = await submitted({ clock, integrations: service.options, plans: { unlimited: { webhooks_per_form: 10 } } });
  await b.teams.update("default", { owner: { email: "owner@example.com" } });
  const path = `/v1/forms/${b.id}/webhooks`;
  const { json } = await b.call("POST", path, { body });
  const hook = json.id as string;
  const now = async (fields: Record<string, string | string[]>) => (await b.submit(b.id, { fields })).id;
  return Object.assign(b, {
    service,
    path,
    made: json,
    hook,
    at: `${path}/${hook}`,
    now,
    delivery: (id: string) => b.deliveries.get(b.id, hook, id),
    /** Submits, delivers, and returns the delivery. */
    async sent(fields: Record<string, string | string[]>) {
      const id = await now(fields);
      await b.clock.advance(10_000);
      return { ...(await b.deliveries.get(b.id, hook, id)), id };
    },
    mailed: () => b.mails.at(-1)?.text ?? "",
  });
}

/** Sends `all` submissions to a service that refuses, loses answers and sees the process killed. Returns the ids in order. */
export async function overFaults<F extends Fake>(
  open: (now: () => number) => Promise<F>,
  body: WebhookCreate,
  all: number,
  fieldsOf: (n: number) => Record<string, string>,
  writes: (got: Got) => boolean,
) {
  const held = { now: () => 0 };
  const service = await open(() => held.now());
  onTestFinished(service.close);
  const world = mortals({ integrations: service.options });
  held.now = world.clock.now;
  const form = await world.backend().forms.create({ name: "Contact", spam: { protection: false } });
  const { id: hook } = await world.backend().webhooks.create(form.id, body);
  const seen = { writes: 0, kills: 0 };
  service.fate.fate = (got) => {
    if (!writes(got)) return undefined;
    const n = ++seen.writes;
    if (n % 8 === 0 && seen.kills < 4) {
      seen.kills++;
      world.kill();
      return "lost";
    }
    if (n % 3 === 0) return { status: 503, json: { message: "down" } };
    return n % 10 === 0 ? "lost" : undefined;
  };
  const ids: string[] = [];
  for (let n = 0; n < all; n++) ids.push((await world.backend().submit(form.id, { fields: fieldsOf(n) })).id);
  await world.run(world.clock.now() + 3 * 24 * 60 * 60_000);
  const { data } = await world.backend().deliveries.list(form.id, hook, { limit: 100 });
  return { service, ids, seen, states: new Set(data.map(({ status }) => status)) };
}
