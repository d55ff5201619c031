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
