import { expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { learn } from "../../../../src/features/spam/learned/lesson.ts";
import { placesOf, tokensOf } from "../../../../src/features/spam/learned/tokens.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { CAMPAIGN, hamText, QUESTION, spamText } from "../../../_support/spam-texts.ts";

const MINUTE = 60_000;

async function world({
  n = 60,
  settings = {},
  options = {},
}: {
  n?: number;
  settings?: object;
  options?: object;
} = {}) {
  const b = harness({ rateLimit: false, ...options });
  const form = await b.forms.create({ name: "A", settings: { spam: { learn: true }, ...settings } });
  const post = async (fields: Record<string, string>) => {
    const { json } = await b.post(form.id, fields);
    return b.submissions.get(form.id, json.submission_id as string);
  };
  const mark = async (fields: Record<string, string>, spam: boolean): Promise<string> => {
    const { id } = await post(fields);
    await b.submissions.update(form.id, id, { spam });
    return id;
  };
  const spam: string[] = [];
  for (let at = 0; at < n; at++) {
    spam.push(await mark({ message: spamText(at) }, true));
    await mark({ message: hamText(at) }, false);
  }
  /** The verdict about a post once the marks are learned. */
  const judged = async (message = CAMPAIGN) => {
    await b.clock.advance(20 * MINUTE);
    await b.spamModel.get();
    return (await post({ message })).spam;
  };
  return { b, form: form.id, post, mark, spam, judged };
}

it("learns from 50 marks of each kind, and says the words that decided", async () => {
  const { b, form, mark, post, judged } = await world({ n: 49 });
  expect(await b.spamModel.get()).toMatchObject({ spam: 49, ham: 49, active: false, precision: null, recall: null });
  expect(await judged()).toBe(false);
  for (let at = 49; at < 60; at++) {
    await mark({ message: spamText(at) }, true);
    await mark({ message: hamText(at) }, false);
  }
  const { status, json } = await b.call("GET", "/v1/spam-model");
  expect(status).toBe(200);
  expect(json).toMatchObject({ spam: 60, ham: 60, active: true });
  expect(json.precision).toBe(1);
  expect(json.recall).toBeGreaterThan(0.5);
  expect(Date.parse(json.since)).not.toBeNaN();

  const { id, spam } = await post({ message: CAMPAIGN });
  expect(spam).toBe(true);
  expect(await judged(QUESTION)).toBe(false);
  const [verdict] = (await b.submissions.get(form, id)).verdict.filter(({ check }) => check === "learned");
  expect(verdict).toMatchObject({ spam: true });
  for (const word of (verdict?.reason ?? "").split(", ")) expect(CAMPAIGN.toLowerCase()).toContain(word);
  expect(verdict?.at?.length).toBeGreaterThan(0);
});

it("a form that doesn't learn is judged as before, and its marks teach the others", async () => {
  const { b, form, judged } = await world();
  expect(await judged()).toBe(true);
  await b.forms.update(form, { settings: { spam: { learn: false } } });
  expect(await judged()).toBe(false);
});

it("is not used where held-out marks don't say that it helps", async () => {
  const b = harness({ rateLimit: false });
  const { id: form } = await b.forms.create({ name: "A", settings: { spam: { learn: true } } });
  for (let at = 0; at < 120; at++) {
    // The same texts, marked one way and the other.
    const { json } = await b.post(form, { message: hamText(at >> 1) });
    await b.submissions.update(form, json.submission_id, { spam: at % 2 === 0 });
  }
  expect(await b.spamModel.get()).toMatchObject({ spam: 60, ham: 60, active: false, precision: null, recall: null });
});

it("what the other checks catch already is no reason to use it", async () => {
  const b = harness({ rateLimit: false });
  const { id: form } = await b.forms.create({ name: "A", settings: { spam: { learn: true } } });
  for (let at = 0; at < 120; at++) {
    const isSpam = at % 2 === 0;
    const { json } = await b.post(form, { message: isSpam ? `viagra ${at}` : hamText(at) });
    await b.submissions.update(form, json.submission_id, { spam: isSpam });
  }
  expect(await b.spamModel.get()).toMatchObject({ spam: 60, ham: 60, active: false });
});

it.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("a poisoned model is where it was after marks are withdrawn, and after DELETE, on %s", async (_, storage) => {
  const { b, form, mark, judged } = await world({ options: { storage: storage() } });
  const poison: string[] = [];
  expect(await judged()).toBe(true);
  for (let at = 0; at < 150; at++) poison.push(await mark({ message: `${CAMPAIGN} ${at}` }, false));
  expect(await judged()).toBe(false);
  for (const id of poison) await b.submissions.update(form, id, { spam: true });
  expect(await judged()).toBe(true);

  for (const id of poison) await b.submissions.update(form, id, { spam: false });
  expect(await judged()).toBe(false);
  await b.clock.advance(MINUTE);
  const { status, json } = await b.call("DELETE", "/v1/spam-model");
  expect([status, json]).toEqual([200, { forgotten: true }]);
  expect(await b.spamModel.get()).toEqual({
    spam: 0,
    ham: 0,
    active: false,
    precision: null,
    recall: null,
    since: null,
  });
  await b.clock.advance(MINUTE);
  for (let at = 0; at < 60; at++) {
    await mark({ message: spamText(at) }, true);
    await mark({ message: hamText(at) }, false);
  }
  expect(await judged()).toBe(true);
});

it("a deleted or erased submission teaches nothing, and neither does one in the trash", async () => {
  const { b, form, spam, mark } = await world({ n: 3 });
  const erased = await mark({ email: "ann@example.com", message: "Hello" }, true);
  expect(erased).toBeTruthy();
  expect(await b.spamModel.get()).toMatchObject({ spam: 4, ham: 3 });
  await b.dataSubjects.erase({ email: "ann@example.com" });
  await b.submissions.delete(form, spam[0] as string);
  expect(await b.spamModel.get()).toMatchObject({ spam: 2, ham: 3 });
  await b.submissions.delete(form, spam[1] as string, { trash: true });
  expect(await b.spamModel.get()).toMatchObject({ spam: 1 });
  await b.submissions.bulk(form, { action: "restore", ids: [spam[1] as string] });
  expect(await b.spamModel.get()).toMatchObject({ spam: 2 });
});

it("a model that could not be learned again for a day is not used", async () => {
  let isDown = false;
  const storage = memoryStorage();
  const page: typeof storage.page = (collection, query) =>
    isDown && collection === "submission_runs" ? Promise.reject(new Error("no")) : storage.page(collection, query);
  const said: string[] = [];
  const logger = { debug() {}, info() {}, warn: (line: string) => void said.push(line), error() {} };
  const { b, judged, post } = await world({ options: { storage: { ...storage, page }, logger } });
  expect(await judged()).toBe(true);
  isDown = true;
  await b.clock.advance(23 * 60 * MINUTE);
  expect((await post({ message: `${CAMPAIGN}!` })).spam).toBe(true);
  await b.clock.advance(2 * 60 * MINUTE);
  expect((await post({ message: `${CAMPAIGN}?` })).spam).toBe(false);
  await expect.poll(() => said.join()).toContain("could not be learned");
});

it("learns nothing from values that a form protects", async () => {
  const { b, form, judged } = await world({
    settings: { fields: { message: { store: "hash" } } },
  });
  expect(form).toBeTruthy();
  expect(await b.spamModel.get()).toMatchObject({ spam: 60, ham: 60, active: false });
  expect(await judged()).toBe(false);
});

it("says in a back-test that it can't be tried on what it learned from", async () => {
  const { b, form } = await world({ n: 1 });
  expect((await b.submissions.backtestSpam(form, {})).unavailable).toContain("learned");
  expect((await b.submissions.backtestSpam(form, { spam: { learn: false } })).unavailable).not.toContain("learned");
});

it("a mark that changes nothing else is no change to count, and is not learned twice", async () => {
  const { b, form, post } = await world({ n: 1 });
  const { id } = await post({ message: "Hello" });
  const changed: unknown[] = [];
  b.on("submission.updated", (event) => void changed.push(event));
  for (const _ of [1, 2])
    expect(await b.submissions.bulk(form, { action: "not_spam", ids: [id] })).toMatchObject({ changed: 0 });
  expect(changed).toEqual([]);
  expect(await b.spamModel.get()).toMatchObject({ spam: 1, ham: 2 });
});

it("needs the plan", async () => {
  const b = harness({ plans: { small: { spam_learning: false } } });
  const team = await b.teams.create({ name: "T", plan: "small" });
  const input = { name: "A", team_id: team.id, settings: { spam: { learn: true } } };
  await expect(b.forms.create(input)).rejects.toMatchObject({ code: "plan_restricted", param: "settings.spam" });
});

it("tokens of one text are bounded, whatever it is", () => {
  const long = (value: string) => [{ key: "m", value }];
  const words = Array.from({ length: 50_000 }, (_, at) => at.toString(36).replaceAll(/\d/g, "x") + at).join(" a");
  for (const value of [
    "語".repeat(60_000),
    words,
    "a".repeat(100_000),
    "http://x.y ".repeat(9_000),
    "@.".repeat(30_000),
  ])
    expect(tokensOf(long(value)).length).toBeLessThanOrEqual(200);
  expect(placesOf([])).toHaveLength(0);
  expect(tokensOf(long("Save at https://Spam.example/x now, ann@shop.example"))).toEqual(
    expect.arrayContaining(["save", "save at", "link:spam.example", "link:.example", "mail:shop.example"]),
  );
});

it("100,000 marks are learned in bounded time and memory", async () => {
  const marks = Array.from({ length: 100_000 }, (_, at) => ({
    places: Uint16Array.from({ length: 40 }, (_, i) => (i < 20 ? (at % 2) * 20 + i : (at * 31 + i * 977) & 0xffff)),
    spam: at % 2 === 1,
    held: false,
  }));
  const lesson = await learn(marks, () => undefined);
  expect(lesson?.weights.of.byteLength).toBe(262_144);
  expect(lesson?.precision).toBeGreaterThan(0.99);
});
