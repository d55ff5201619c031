import type { Core } from "../../src/core/core.ts";
import type { SubmissionField } from "../../src/model/submission-field.ts";
import type { TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { harness } from "./backend.ts";

export const KEY = Buffer.alloc(32, 7).toString("base64");
export const encryption = { keys: [{ id: "k1", key: KEY }] };

/** A value that nothing else in a test says. */
export const SSN = "078-05-1120-zq";

/** A form whose field `ssn` has this policy, on a backend with a key. */
export async function privateForm(
  policy: object = { store: "encrypt" },
  options: TestBackendOptions = {},
  more: object = {},
) {
  const b = harness({ encryption, ...options });
  const { id } = await b.forms.create({
    name: "A",
    ...more,
    settings: { fields: { ssn: policy } },
  });
  return { b, id };
}

/** A value in each of the ways in which bytes may hold it. */
export const encodings = (value: string): string[] => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replace(/=+$/, "").slice(0, -1),
  Buffer.from(value).toString("hex"),
];

/** Stands for the core in calls that must ask neither the store nor for a key. */
export const noCore = null as unknown as Core;

/** The fields of a submission, from their values by name. */
export const listed = (fields: Record<string, string>): SubmissionField[] =>
  Object.entries(fields).map(([key, value]) => ({ key, value }));
