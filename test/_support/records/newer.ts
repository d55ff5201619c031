import { describe, expect, it } from "vitest";
import type { StorageDriver, Value } from "../../../src/drivers/storage/types.ts";
import { type Harness, harness } from "../backend.ts";
import { allOf, kinds, past, pathsOf } from "./kinds.ts";
import { type Populated, populate } from "./populate.ts";

/** A member that no version knows today. */
const NEWER = "from_a_newer_version";

/** Objects whose members are named by people: one more would be a label or a policy. */
const byName = ["settings.labels", "settings.fields"];

/** Adds a member to the record and to every object inside it. */
function grown(value: unknown, path = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry, at) => grown(entry, `${path}.${at}`));
  const members = Object.entries(value).map(([key, inner]) => [key, grown(inner, path ? `${path}.${key}` : key)]);
  return { ...Object.fromEntries(members), ...(!byName.includes(path) && { [NEWER]: { deep: [1] } }) };
}

/** The form gets another webhook. */
const plans = { unlimited: { webhooks_per_form: 2 } };

/** Values that the changes below replace as a whole. */
const replaced = [/^settings\.routing\.otherwise/, /^(last_delivery|failing)\./];

const newerIn = (value: Value): string[] =>
  pathsOf(value)
    .filter((path) => path.endsWith(NEWER) && !replaced.some((one) => one.test(path)))
    // A rotation puts its secret before the others.
    .map((path) => path.replace(/(secrets)\.\d/, "$1"));

/** Writes each kind of record as a later version would, changes it in every way, and looks for what that version wrote. */
export function keepNewerMembers(name: string, open: () => Promise<StorageDriver>): void {
  describe(`records on ${name} with members of a later version`, () => {
    it.each(kinds)("$collection: are read, changed, and written back with them", async ({ collection, row }) => {
      const storage = await open();
      const errors: string[] = [];
      const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
      const b = harness({ storage, logger, senderDomains: ["acme.test"], plans });
      const made = await populate(b);
      const target = row(made, await allOf(storage, collection, made));
      if (!target) throw new Error(`populate() makes no row of ${collection}`);
      const value = grown(target.value) as Value;
      await storage.commit([{ op: "put", collection, id: target.id, value }]);
      await past(b);

      await changed(b, made);
      expect(errors).toEqual([]);
      const after = (await storage.get(collection, [target.id])).get(target.id)?.value ?? {};
      expect(newerIn(after)).toEqual(newerIn(value));
      await b.close();
    });
  });
}

/** Changes each kind of record, and its entries one by one; no entry is replaced as a whole. */
async function changed(b: Harness, made: Populated): Promise<void> {
  const [first = ""] = made.submissions;
  const form = (patch: Parameters<Harness["forms"]["update"]>[1]) => b.forms.update(made.form, patch);
  await form({ name: "Renamed" });
  await form({ settings: { labels: { name: "Name" }, digest: { at: "09:00" }, spam: { threshold: "high" } } });
  await form({ settings: { fields: { ssn: { store: "plain" }, budget: { agents: "show" } } } });
  await form({ settings: { routing: { otherwise: null } } });
  await form({ spam: { protection: false }, self_email_notification: { template: { html: "" } } });
  await b.webhooks.update(made.form, made.webhook.id, { description: "Renamed" });
  await b.webhooks.rotateSecret(made.form, made.webhook.id);
  const other = await b.webhooks.create(made.form, { url: "https://other.acme.test/" });
  await b.webhooks.delete(made.form, other.id);
  await b.teams.update(made.team, { name: "Renamed" });
  await b.emailServers.update(made.server, { name: "Renamed" });
  await b.submissions.update(made.form, first, { read: true, spam: true });
  await b.submit(made.form, { fields: { note: "New" } });
  await b.tick();
}
