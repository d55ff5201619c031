import { afterAll, beforeAll, expect, it } from "vitest";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { createTestBackend } from "../../src/surfaces/testing/backend.ts";
import { type Generated, generate, type Sql } from "../bench/generate.mjs";
import type { Plan } from "../bench/plans.mjs";
import { ask, type Middle, questions, walkToTheMiddle } from "../bench/questions.mjs";

/** A store with one form and many submissions, whose reads are watched. */
export interface ScaledStore {
  readonly facts: Generated;
  readonly middle: Middle;
  readonly storage: StorageDriver;
  /** The plans of what is read meanwhile. */
  watch(run: () => Promise<unknown>): Promise<Plan[]>;
}

export async function scaledStore(
  storage: StorageDriver,
  sql: Sql,
  plans: () => Promise<Plan[]>,
  rows: number,
): Promise<ScaledStore> {
  const backend = createTestBackend({
    storage,
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
    country: "x-country",
    rateLimit: false,
  });
  const facts = await generate(backend, backend.key, sql, rows);
  const middle = await walkToTheMiddle(facts);
  return {
    ...{ facts, middle, storage },
    async watch(run) {
      await plans();
      await run();
      return plans();
    },
  };
}

/** The second time, because a first request also loads what is cached from then on. */
async function plansOf({ facts, middle, watch }: ScaledStore, question: string): Promise<Plan[]> {
  const path = questions(facts, middle)[question]?.(1) as string;
  await ask(facts.backend, facts.key, path);
  return watch(() => ask(facts.backend, facts.key, path));
}

export const rowsRead = (plans: readonly Plan[]): number => plans.reduce((sum, { rows }) => sum + rows, 0);
export const stepsOf = (plans: readonly Plan[]): string[] => plans.flatMap(({ plan }) => plan.split("\n"));

export interface ScaledStores {
  readonly few: ScaledStore;
  readonly many: ScaledStore;
}

/** A store with few rows and one with many, for the tests around the call, and one test that they are what was asked for. */
export function fewAndMany(storeOf: (rows: number) => Promise<ScaledStore>): () => ScaledStores {
  let stores: ScaledStores;
  beforeAll(async () => {
    stores = { few: await storeOf(3_000), many: await storeOf(24_000) };
  });
  afterAll(async () => {
    for (const { facts } of [stores.few, stores.many]) await facts.backend.close();
  });

  it("holds what was asked for, walked page by page", async () => {
    const { few, many } = stores;
    expect([few.middle.count, many.middle.count]).toEqual([2_100, 16_800]);
    const { backend, formId, webhookId } = many.facts;
    expect(await backend.submissions.count(formId, { status: "spam" })).toEqual({ count: 7_200, exact: true });
    expect(await backend.submissions.count(formId, { status: "all" })).toEqual({ count: 24_000, exact: true });
    const [id = ""] = many.middle.ids.slice(-1);
    const sent = await backend.deliveries.get(formId, webhookId, id);
    expect(sent).toMatchObject({ submission_id: id, webhook_id: webhookId, http_status: 200, status: "succeeded" });
  });

  return () => stores;
}

/** Checks that the answer is read as cheaply from many rows as from few, and returns the plans over many. */
export async function plansAsOfFew({ few, many }: ScaledStores, question: string): Promise<Plan[]> {
  const plans = await plansOf(many, question);
  expect(rowsRead(plans)).toBeGreaterThan(0);
  expect(rowsRead(plans)).toBe(rowsRead(await plansOf(few, question)));
  return plans;
}
