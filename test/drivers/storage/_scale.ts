import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { createTestBackend } from "../../../src/testing/backend.ts";
import { type Generated, generate, type Sql } from "../../bench/generate.mjs";
import type { Plan } from "../../bench/plans.mjs";
import { ask, type Middle, questions, walkToTheMiddle } from "../../bench/questions.mjs";

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
export async function plansOf({ facts, middle, watch }: ScaledStore, question: string): Promise<Plan[]> {
  const path = questions(facts, middle)[question]?.(1) as string;
  await ask(facts.backend, facts.key, path);
  return watch(() => ask(facts.backend, facts.key, path));
}

export const rowsRead = (plans: readonly Plan[]): number => plans.reduce((sum, { rows }) => sum + rows, 0);
export const stepsOf = (plans: readonly Plan[]): string[] => plans.flatMap(({ plan }) => plan.split("\n"));
