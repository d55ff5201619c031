import { describe, expect, it } from "vitest";
import type { Logger } from "../../../src/core/options/types.ts";
import type { StorageDriver, Value } from "../../../src/drivers/storage/types.ts";
import type { CollectionName } from "../../../src/model/collections.ts";
import { type Harness, harness } from "../backend.ts";
import { allOf, kinds, past, pathsOf } from "./kinds.ts";
import { type Populated, populate } from "./populate.ts";
import { required } from "./required.ts";

/** Leaves whose default makes the webhook's deliveries fail with a message, while the form stays usable. */
const undeliverable = ["webhooks.0.url", "webhooks.0.secrets", "webhooks.0.secrets.0.sealed"];

/** What every store refuses to be without, so that no record lacks it. */
const kept = ["jobs.status"];

/** The status that a request with the key gets, where it is not 200. */
const statuses: Readonly<Record<string, number>> = {
  // What an index is sorted by is a column: a row without it can't be found by its hash.
  "keys.created_at": 401,
  // A key that says nothing of its scopes has none.
  "keys.scopes": 403,
};

/** Jobs that are not due, because nobody knows when. */
const neverDue = ["jobs.due_at"];

/** Each leaf takes a post with its deliveries, on a machine that may be busy. */
const PATIENT_MS = 600_000;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function without(value: Value, path: readonly string[]): Value {
  const copy = structuredClone(value);
  const keys = [...path];
  const last = keys.pop() as string;
  const owner = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy);
  delete owner[last];
  return copy;
}

/**
 * Strips each leaf in turn from a record of each kind, as a version that did not know the leaf would have written it, and uses
 * the service. `open` answers a driver over an empty store.
 */
export function stripEachLeaf(name: string, open: () => Promise<StorageDriver>): void {
  describe(`records on ${name} that lack a leaf`, () => {
    it.each(kinds)(
      "$collection: are read, listed, changed and delivered, for each leaf in turn",
      async ({ collection, row }) => {
        const storage = await open();
        const errors: string[] = [];
        const logger = {
          debug() {},
          info() {},
          warn() {},
          error: (message) => void errors.push(message),
        } satisfies Logger;
        const b = harness({ storage, logger, senderDomains: ["acme.test"] });
        const made = await populate(b);
        const target = row(made, await allOf(storage, collection, made));
        if (!target) throw new Error(`populate() makes no row of ${collection}`);
        errors.length = 0;

        const needed = required[collection] ?? [];
        const paths = pathsOf(target.value);
        expect(paths).toEqual(expect.arrayContaining([...needed]));
        for (const path of paths) {
          if (kept.includes(`${collection}.${path}`)) continue;
          await storage.commit([
            { op: "put", collection, id: target.id, value: without(target.value, path.split(".")) },
          ]);
          const at = `${collection}.${path}`;
          await past(b);
          if (needed.includes(path)) {
            await refused(b, made, collection, target.id, path, errors);
          } else {
            await used(b, made, at, undeliverable.includes(path));
            if (collection === "jobs" && !neverDue.includes(at)) {
              expect((await storage.get("jobs", [target.id])).get(target.id)?.value["status"], at).toBe("succeeded");
            }
            expect(
              errors.filter(
                (error) => !error.includes("has no secret to sign with") && !error.includes("ERR_INVALID_URL"),
              ),
              at,
            ).toEqual([]);
          }
          errors.length = 0;
          await storage.commit([{ op: "put", collection, id: target.id, value: target.value }]);
          await past(b);
        }
        await b.close();
      },
      PATIENT_MS,
    );

    it(
      "forms: deliver, for each member of a destination's webhook and of restrictions in turn",
      async () => {
        const storage = await open();
        const b = harness({ storage, logger: silent });
        const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["ann@acme.test"] } });
        const webhook = await b.webhooks.create(id, {
          url: "https://hooks.acme.test/orders",
          format: "http",
          config: {
            headers: { "x-token": "a secret of the receiver" },
            body: '{ "note": "{{note}}" }',
            success: ["2xx"],
          },
        });
        const row = (await storage.get("forms", [id])).get(id) ?? expect.fail("no form");
        const [stored] = row.value["webhooks"] as Value[];
        const restriction = { sees: "agents", without: ["phone"] };
        const value = {
          ...row.value,
          webhooks: [{ ...stored, restriction }],
          restrictions: { "ann@acme.test": restriction },
        };
        const paths = pathsOf(value).filter((path) => /^(webhooks\.0|restrictions)\b./.test(path));
        expect(paths).toEqual(expect.arrayContaining(["webhooks.0.sealed_config", "restrictions.ann@acme.test.sees"]));
        for (const path of paths) {
          if (path === "webhooks.0.id") continue;
          // The address has a dot of its own.
          const at = path.startsWith("restrictions.")
            ? ["restrictions", "ann@acme.test", ...path.split(".").slice(3)]
            : path.split(".");
          await storage.commit([{ op: "put", collection: "forms", id, value: without(value, at) }]);
          await past(b);
          for (const read of ["", "/webhooks", `/webhooks/${webhook.id}`]) {
            expect((await b.call("GET", `/v1/forms/${id}${read}`)).status, `${path}: GET ${read}`).toBe(200);
          }
          await b.webhooks.update(id, webhook.id, { description: "Orders" });
          const posted = await b.submit(id, { fields: { note: "New", phone: "1" } });
          await b.tick();
          const jobs = await b.jobs.list({ submission_id: posted.id });
          const failing = undeliverable.includes(path) || path === "webhooks.0.sealed_config";
          expect(jobs.map(({ kind, status }) => [kind, status === "succeeded"]).sort(), path).toEqual([
            ["owner_email", true],
            ["webhook", !failing],
          ]);
        }
        await b.close();
      },
      PATIENT_MS,
    );
  });
}

/** Everything that a host and a caller do with what is stored; none of it may fail. */
async function used(b: Harness, made: Populated, at: string, webhookFails: boolean): Promise<void> {
  const [first = ""] = made.submissions;
  const expected = statuses[at] ?? 200;
  for (const path of [
    "/v1/me",
    "/v1/forms",
    `/v1/forms/${made.form}`,
    `/v1/forms/${made.form}/submissions?status=all`,
    `/v1/forms/${made.form}/submissions/${first}`,
    `/v1/forms/${made.consentForm}/submissions?status=pending`,
    ...(at === "forms.webhooks" ? [] : [`/v1/forms/${made.form}/webhooks/${made.webhook.id}/deliveries`]),
  ]) {
    const { status, text } = await b.call("GET", path, { key: made.key.key });
    expect(status, `${at}: GET ${path}: ${text}`).toBe(path === "/v1/me" && expected === 403 ? 200 : expected);
  }
  await Promise.all([b.teams.list(), b.keys.list(), b.emailServers.list(), b.jobs.list()]);
  expect((await b.forms.list()).data.length, at).toBeGreaterThan(0);
  await b.teams.update(made.team, { name: "Acme" });
  await b.emailServers.update(made.server, { name: "Acme's server" });
  await b.forms.update(made.form, { folder_id: "folder-1" });
  await b.submissions.update(made.form, first, { read: true });

  const calls = b.webhookCalls.length;
  const mails = b.mails.length;
  const { id } = await b.submit(made.form, { fields: { note: "New" } });
  await b.tick();
  const jobs = await b.jobs.list({ submission_id: id });
  for (const { kind, status, message, code } of jobs) {
    if (kind === "webhook" && webhookFails) expect(status, at).not.toBe("succeeded");
    // A team without a plan has the least one, which includes no sender of its own.
    else if (at === "teams.plan" && status === "skipped") expect(code, at).toBe("SKIPPED_PLAN_RESTRICTED");
    else expect(status, `${at}: ${kind}: ${message}`).toBe("succeeded");
  }
  expect(b.webhookCalls.length - calls + b.mails.length - mails, at).toBeGreaterThan(0);
}

/** The record alone is refused, by name; its neighbours are as they were. */
async function refused(
  b: Harness,
  made: Populated,
  collection: CollectionName,
  id: string,
  path: string,
  errors: readonly string[],
): Promise<void> {
  const at = `${collection}.${path}`;
  expect((await b.forms.list()).data.map((form) => form.id).includes(made.transientForm), at).toBe(true);
  await Promise.all([b.teams.list(), b.keys.list(), b.emailServers.list(), b.jobs.list()]);
  await b.submissions.list(null);
  await b.submissions.list(made.consentForm, { status: "pending" });
  const own: Partial<Record<CollectionName, () => Promise<unknown>>> = {
    keys: () => b.keys.get(id),
    email_servers: () => b.emailServers.get(id),
    forms: () => b.forms.get(id),
    submissions: () => b.submissions.get(made.form, id),
  };
  if (collection === "images") {
    const { pathname } = new URL(made.image.url);
    expect((await b.call("GET", pathname.replace("/forms", ""), { key: null })).status, at).toBe(500);
  }
  const error = await own[collection]?.().catch((thrown: unknown) => thrown);
  if (own[collection]) {
    expect(error, at).toMatchObject({ code: "internal_error", status: 500 });
    expect(String(error), at).toContain(`"${id}" of ${collection} can't be read: \`${path}\` is missing`);
  }
  const named = errors.some((line) => line.includes(`"${id}" of ${collection}`) && line.includes(`\`${path}\``));
  expect(named, at).toBe(true);
}
