import type { StorageDriver, Stored } from "../../../src/drivers/storage/types.ts";
import type { CollectionName } from "../../../src/model/collections.ts";
import type { Harness } from "../backend.ts";
import type { Populated } from "./populate.ts";

/** A kind of record, and the one of `populate`'s records that a test changes. */
export interface Kind {
  readonly collection: CollectionName;
  /** Which row of the populated store. */
  row(made: Populated, all: Stored[]): Stored | undefined;
}

const byId = (id: (made: Populated) => string) => (made: Populated, all: Stored[]) =>
  all.find((row) => row.id === id(made));

export const kinds: readonly Kind[] = [
  { collection: "teams", row: byId((made) => made.team) },
  { collection: "keys", row: byId((made) => made.key.id) },
  { collection: "email_servers", row: byId((made) => made.server) },
  { collection: "forms", row: byId((made) => made.form) },
  { collection: "webhook_states", row: byId((made) => made.webhook.id) },
  { collection: "images", row: byId((made) => made.image.id) },
  { collection: "submissions", row: byId((made) => made.submissions[0] ?? "") },
  { collection: "pending_submissions", row: byId((made) => made.waiting) },
  { collection: "drafts", row: (_, all) => all[0] },
  { collection: "files", row: (_, all) => all[0] },
  {
    collection: "jobs",
    row: (made, all) =>
      all.find(({ value }) => value["kind"] === "webhook" && value["submission_id"] === made.submissions[3]),
  },
];

/** The dot path of every leaf, blocks and lists included: a version that did not know a block has nothing of it. */
export function pathsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path ? `${path}.${key}` : key;
    return [...(Array.isArray(value) ? [] : [at]), ...pathsOf(inner, at)];
  });
}

/** Lets end what the process keeps of rows, and the hour in which one mailbox gets 60 mails at most. */
export const past = (b: Harness): Promise<void> => b.clock.advance(5 * 60_000);

export async function allOf(storage: StorageDriver, collection: CollectionName, made: Populated): Promise<Stored[]> {
  if (collection === "files") {
    const [submission = ""] = made.submissions;
    return storage.page("files", {
      index: "submission",
      equals: { submission_id: submission },
      order: "asc",
      limit: 10,
    });
  }
  if (collection === "drafts") return storage.page("drafts", { index: "expiry", equals: {}, order: "asc", limit: 10 });
  if (collection === "jobs") return storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 });
  const ids = [
    made.team,
    made.key.id,
    made.server,
    made.form,
    made.webhook.id,
    made.image.id,
    made.waiting,
    ...made.submissions,
  ];
  return [...(await storage.get(collection, ids)).values()];
}
