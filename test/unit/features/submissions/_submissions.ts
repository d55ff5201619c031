import { expect } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

/** A harness with a form `id` and short ways to its submissions. */
export interface Submitted extends Harness {
  readonly id: string;
  /** Submits fields; answers the submission's id. Each submission is a second after the one before. */
  submitted(
    fields: Record<string, string | string[]>,
    more?: { spam?: boolean; country?: string; form?: string },
  ): Promise<string>;
  list(query?: string, key?: string): Promise<Answer>;
}

export async function submitted(options: TestBackendOptions = {}): Promise<Submitted> {
  const storage = options.storage ?? memoryStorage();
  const b = harness({ rateLimit: false, ...options, storage });
  // Content checks would take posts that are much alike for spam.
  const { id } = await b.forms.create({ name: "Contact", spam: { protection: false } });
  return Object.assign(b, {
    id,
    async submitted(
      fields: Record<string, string | string[]>,
      { spam = false, country, form = id }: { spam?: boolean; country?: string; form?: string } = {},
    ) {
      await b.clock.advance(1_000);
      const body = new URLSearchParams();
      for (const [key, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(key, one);
      if (spam) body.append("_gotcha", "x");
      const { status, json } = await b.post(form, body, { accept: "application/json" });
      expect(status).toBe(200);
      const submissionId = json.submission_id as string;
      if (country === undefined) return submissionId;
      const row = (await storage.get("submissions", [submissionId])).get(submissionId) as Stored;
      await storage.commit([
        { op: "put", collection: "submissions", id: submissionId, value: { ...row.value, country } },
      ]);
      return submissionId;
    },
    list: (query = "", key?: string) =>
      b.call("GET", `/v1/forms/${id}/submissions${query}`, key === undefined ? {} : { key }),
  });
}

export const ids = ({ json }: Answer): string[] => json.data.map(({ id }: { id: string }) => id);

/** The code and parameter of an error answer. */
export const fault = ({ status, json }: Answer): unknown[] => [status, json.error?.code, json.error?.param];
