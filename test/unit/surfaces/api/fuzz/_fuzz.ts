import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { ErrorEnvelope } from "../../../../../src/core/http/error-schema.ts";
import type { Route } from "../../../../../src/core/http/route.ts";
import { errors } from "../../../../../src/errors.ts";
import type { OpenApiDocument } from "../../../../../src/surfaces/api/document.ts";
import { routes } from "../../../../../src/surfaces/api/table.ts";
import { createTestBackend, type TestBackend } from "../../../../../src/surfaces/testing/backend.ts";
import { runs } from "../../../../_support/runs.ts";
import { type Case, casesOf, type Described } from "./_cases.ts";
import type { JsonSchema, Known, Schemas } from "./_values.ts";

/** Cases per operation. */
const CASES = runs(100, 2_000);
/** The same cases each time, or others with FUZZ_SEED. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
/** A backend is made anew after so many changes, so that lists stay short. */
const CHANGES = 40;

const rows = routes as unknown as Readonly<Record<string, Route>>;
const document = createTestBackend().openapi() as OpenApiDocument;
const schemas = document.components.schemas as Schemas;
const operations = new Map(
  Object.values(document.paths).flatMap((byMethod) =>
    Object.values(byMethod).map((operation) => [operation.operationId, operation] as const),
  ),
);

interface Fixture {
  readonly backend: TestBackend;
  /** What path parameters of good requests hold, and `other_submission_id`. */
  readonly ids: Readonly<Record<string, string>>;
  readonly logged: string[];
}

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function fixture(): Promise<Fixture> {
  const logged: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void logged.push(message) };
  const backend = createTestBackend({
    rateLimit: false,
    logger,
    encryption: { keys: [{ id: "k", key: Buffer.alloc(32, 1).toString("base64") }] },
    plans: { unlimited: { webhooks_per_form: null } },
    // The addresses that the values below hold, so that a case fails by its planted fault alone.
    senderDomains: ["example.com", "sub.example.org", "münchen.example"],
  });
  const form = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["ann@example.com"] },
  });
  const webhook = await backend.webhooks.create(form.id, { url: "https://example.com/first" });
  const submissions = [];
  for (const city of ["Graz", "a,b", "__proto__"])
    submissions.push(await backend.submit(form.id, { fields: { email: "ann@example.com", city } }));
  await backend.tick();
  const image = await backend.forms.uploadImage(form.id, { file: png, use: "after_submit_logo" });
  const [first, second] = submissions.map(({ id }) => id) as [string, string];
  const { data: emails } = await backend.emails.list(form.id);
  // By the key, for only a note's author deletes it.
  const noted = await backend.fetch(
    new Request(`${backend.baseUrl}/v1/forms/${form.id}/submissions/${first}/notes`, {
      method: "POST",
      headers: { authorization: `Bearer ${backend.key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "Mine." }),
    }),
  );
  const reply = await backend.savedReplies.create({ name: "Thanks", text: "Hello" });
  await backend.suppressions.add({ email: "ann@example.com" });
  await backend.teams.update("default", { sender_domains: ["sender.test"] });
  const ids = {
    form_id: form.id,
    webhook_id: webhook.id,
    submission_id: first,
    image_id: image.id,
    email_id: emails[0]?.id ?? expect.fail("no mail was sent"),
    other_submission_id: second,
    email: "ann@example.com",
    domain: "sender.test",
    note_id: ((await noted.json()) as { id: string }).id,
    reply_id: reply.id,
  };
  return { backend, ids, logged };
}

/** Rules that the document can't say, by the name of the member; ids are those that every fixture has. */
const known = (): Known => ({
  // The other formats want a URL of their service.
  format: fc.constantFrom("standard", "flat"),
  // Belongs to those other formats.
  "config{}": fc.constant(undefined),
  // Times in this order, never so that the form is closed, and no fewer places than are taken.
  "availability{}": fc.record(
    {
      opens_at: fc.constantFrom(null, "2020-01-01T00:00:00Z"),
      closes_at: fc.constantFrom(null, "2100-01-01T00:00:00+01:00"),
      limit: fc.constantFrom(null, 100_000),
      message: fc.constantFrom("", "Later."),
      public: fc.boolean(),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  "?cursor": fc.constant(undefined),
  cursor: fc.constant(undefined),
  "?team_id": fc.constant("default"),
  team_id: fc.constant("default"),
  server_id: fc.constant(""),
  secret_key: fc.constantFrom("", `6L${"a".repeat(38)}`, `0x${"0".repeat(40)}`),
  "?form_id": fc.constant(["{form_id}"]),
  "ids[]": fc.constantFrom("{submission_id}", "{other_submission_id}", "gone"),
  "?field": fc.constantFrom(
    { city: { eq: "Graz" } },
    { email: { contains: "ANN" }, city: { in: "a,b" } },
    { "a[b]": { exists: "false" } },
  ),
  // True goes with one action alone.
  deliver: fc.constant(false),
  // Without those that need a member of their own, which has no meaning with the others.
  action: fc.constantFrom(
    "mark_read",
    "mark_unread",
    "mark_spam",
    "mark_not_spam",
    "done",
    "reopen",
    "trash",
    "delete",
  ),
  assignee: fc.constant(undefined),
  label: fc.constant(undefined),
  // A time to come, and only of what is open.
  snoozed_until: fc.constant(undefined),
  "labels[]": fc.constantFrom("urgent", "Montag"),
  // Addresses of the conversation, and files of the form.
  "to[]": fc.constant("ann@example.com"),
  "cc[]": fc.constant("ann@example.com"),
  "attachments[]": fc.constant("{image_id}"),
  reply_attachments: fc.constant([]),
  // In this order, not too far apart for the shortest interval.
  "?from": fc.constantFrom(undefined, "2026-11-01T00:00:00Z"),
  "?to": fc.constantFrom("2026-11-02T12:00:00+05:45", "2026-11-10T00:00:00Z"),
  "?domain": fc.constant("localhost"),
  "?time_zone": fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
  // English alone is loaded.
  language: fc.constantFrom("auto", "en"),
  checks: fc.constantFrom(
    [],
    [{ type: "required" }],
    [
      { type: "min_length", value: "3", message: "Longer." },
      { type: "pattern", value: "^a+$" },
    ],
  ),
  time_zone: fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
  // Of routing: destinations must be the form's own, and conditions need the value of their kind.
  if: fc.constantFrom(
    { all: [] },
    { all: [{ field: "city", type: "equals", value: "Graz" }] },
    { any: [{ field: "email", type: "exists", negate: true }] },
  ),
  "to{}": fc.constantFrom({}, { none: true }, { recipients: [], webhooks: [], subject: "Hello" }),
  otherwise: fc.constantFrom(null, { none: true }, { webhooks: [] }),
  "words[]": fc.constantFrom("casino", "cheap pills", "在线赌场"),
  "senders[]": fc.constantFrom("ann@example.com", "@example.org"),
  "ips[]": fc.constantFrom("203.0.113.9", "198.51.100.0/24", "2001:db8::/32"),
  "allowed_origins[]": fc.constantFrom("https://example.com", "http://localhost:3000"),
  // A team takes a key once.
  key: fc.oneof(
    fc.constant(null),
    fc.uuid().map((id) => `k-${id}`),
  ),
  file: fc.constantFrom("{png}"),
  // With tags, which must be closed.
  ...Object.fromEntries(
    ["subject", "message", "html", "text"].map((name) => [
      name,
      fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.replaceAll("{", "(")),
    ]),
  ),
  // A form takes a URL once.
  url: fc.nat({ max: 999_999 }).map((n) => `https://example.com/hook?n=${n}`),
});

/** Fuzzes every operation whose tag is among these, or is not. */
export function fuzzTags(tags: readonly string[], among = true): void {
  const ids = Object.entries(rows).flatMap(([id, { tag }]) => (tags.includes(tag) === among ? [id] : []));
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) fuzz(id);
}

/** Requests of an operation, none of which may be answered but as the document says. */
function fuzz(id: string): void {
  it(`${id}: ${CASES} cases`, { timeout: 300_000 }, async () => {
    const row = rows[id] as Route;
    let state = await fixture();
    const seen = new Map<number, number>();
    let changes = 0;
    // Ids differ from fixture to fixture, so that cases hold their names.
    const names = Object.fromEntries(Object.keys(state.ids).map((name) => [name, `{${name}}`]));
    const cases = casesOf(operations.get(id) as Described, schemas, known(), names);
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const answer = await send(state, row, given);
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        try {
          check(id, row, given, answer);
          expect(state.logged).toEqual([]);
        } finally {
          // A bound by the hour, such as that of test emails, leaves the next case an hour of its own.
          if (answer.status === 429) await state.backend.clock.advance(60 * 60 * 1000);
          const changed = answer.status < 300 && row.method !== "GET";
          const destructive = row.method === "DELETE" || /bulk|erase|rotate/i.test(id);
          if (changed && (destructive || ++changes % CHANGES === 0)) {
            await state.backend.close();
            state = await fixture();
          }
        }
      }),
      { numRuns: CASES, seed: SEED, verbose: 0 },
    );
    await state.backend.close();
    // Cases that never get through, or are never refused, would prove nothing.
    const share = (of: (status: number) => boolean) =>
      [...seen].reduce((sum, [status, n]) => sum + (of(status) ? n : 0), 0) / CASES;
    if (process.env["FUZZ_VERBOSE"]) console.log(id, Object.fromEntries(seen));
    expect(share((status) => status < 300)).toBeGreaterThan(0.1);
    if (row.params || row.query || row.body || row.multipart)
      expect(share((status) => status === 400 || status === 404)).toBeGreaterThan(0.1);
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send({ backend, ids }: Fixture, row: Route, given: Case): Promise<Answer> {
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (all, name: string) => ids[name] ?? all);
  const part = (text: string): string => encodeURIComponent(filled(text).toWellFormed());
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => part(given.path[name] ?? ""));
  const query = given.query.map(([name, value]) => `${part(name)}=${part(value)}`).join("&");
  const { body, type } = bodyOf(row, given, filled);
  const request = new Request(`${backend.baseUrl}${path}${query && `?${query}`}`, {
    method: row.method,
    headers: { authorization: `Bearer ${backend.key}`, ...(type !== undefined && { "content-type": type }) },
    ...(body !== undefined && { body }),
  });
  const response = await backend.fetch(request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function bodyOf(
  row: Route,
  given: Case,
  filled: (text: string) => string,
): { body?: string | FormData; type?: string } {
  if (given.raw) return { body: given.raw.text.toWellFormed(), type: given.raw.type };
  if (given.body === undefined) return {};
  if (!row.multipart) return { body: filled(JSON.stringify(given.body)), type: "application/json" };
  const parts = new FormData();
  for (const [name, value] of Object.entries(given.body as object)) {
    if (value === "{png}") parts.append(name, new Blob([png]), "Logo (1).png");
    else if (name === "file" && value !== undefined)
      parts.append(name, new Blob([JSON.stringify(value)]), JSON.stringify(value).slice(0, 300));
    else if (value !== undefined)
      parts.append(name, typeof value === "string" ? value.toWellFormed() : JSON.stringify(value));
  }
  return { body: parts };
}

function check(id: string, row: Route, given: Case, { status, headers, text }: Answer): void {
  expect(status, text).toBeLessThan(500);
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
  const described = operations.get(id)?.responses[status];
  expect(described, `${status} is not among the answers of ${id}: ${text}`).toBeDefined();
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  expect(Object.keys(described?.content ?? {})).toContain(type);
  if (status < 300) {
    if (type !== "application/json") return;
    const json: unknown = JSON.parse(text);
    // Nothing is answered that the schema does not know.
    expect(row.response.parse(json)).toEqual(json);
    expect(
      published(described?.content["application/json"]?.schema as JsonSchema).safeParse(json).error,
    ).toBeUndefined();
    return;
  }
  const { error } = z.strictObject({ error: z.strictObject(ErrorEnvelope.shape.error.shape) }).parse(JSON.parse(text));
  expect(described?.["x-error-codes"]).toContain(error.code);
  expect([error.type, status]).toEqual([errors[error.code].type, errors[error.code].status]);
  expect(error.request_id).toBe(headers.get("x-request-id"));
  expect(error.message).toMatch(/\S/);
  if (status === 400 && given.fault !== null && !given.raw) {
    expect(error.param, `400 without \`param\`, though only ${given.fault} is wrong: ${error.message}`).toBeDefined();
    expect(
      related(error.param ?? "", given.fault),
      `param ${error.param}, though ${given.fault} is wrong: ${error.message}`,
    ).toBe(true);
  }
}

/** A fault is named by its own path, that of its holder or of something in it; a rule and a destination are judged as a whole. */
function related(param: string, fault: string): boolean {
  const rule = /^(validation|(settings\.)?routing)\.rules\.\d+/;
  const within = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  // The format, which is left out, says which of these a webhook needs.
  const destination = /^(url|config)\b/;
  const together = [rule, destination].some((one) => one.test(param) && one.test(fault));
  return within(param, fault) || within(fault, param) || together;
}

const compiled = new Map<string, z.ZodType>();

/** The schema as published, read back by somebody who knows nothing else. */
function published(schema: JsonSchema): z.ZodType {
  const key = JSON.stringify(schema);
  const found =
    compiled.get(key) ??
    z.fromJSONSchema(
      JSON.parse(JSON.stringify({ ...schema, $defs: schemas }).replaceAll("#/components/schemas/", "#/$defs/")),
    );
  compiled.set(key, found);
  return found;
}
