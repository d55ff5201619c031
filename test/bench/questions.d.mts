import type { FormBackend } from "../../src/index.ts";
import type { Generated } from "./generate.mjs";

export interface Middle {
  readonly count: number;
  readonly deep: string;
  readonly ids: readonly string[];
  readonly moments: readonly string[];
}

export function questions(
  facts: Pick<Generated, "formId" | "webhookId">,
  middle: Middle,
): Record<string, (i: number) => string>;
export function ask(backend: FormBackend, key: string, path: string): Promise<Record<string, unknown>>;
export function walkToTheMiddle(facts: Generated): Promise<Middle>;
