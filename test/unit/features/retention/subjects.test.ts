import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver, Stored } from "../../../../src/drivers/storage/types.ts";
import { mentionOf, nameMentionOf, similarNameTo, similarTo } from "../../../../src/features/retention/mentions.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const email = "ann@example.com";
const all = { index: "all", equals: {}, order: "asc", limit: 100 } as const;

/** A form that stores nothing, so that what was sent to it stays only until its webhook has had it. */
async function passing(b: Harness, team_id: string): Promise<string> {
  const options = { name: "P", storage: { store_submissions: false }, self_email_notification: { enabled: false } };
  const { id } = await b.forms.create(options, { team_id });
  await b.webhooks.create(id, { url: "https://hooks.example.com/" });
  return id;
}

const ask = (b: Harness, what: "export" | "erase", key = b.key) =>
  b.call("POST", `/v1/data-subjects/${what}`, { key, body: { email } });

describe("content that is kept until its deliveries have ended", () => {
  it("is exported and erased as what is stored, with its deliveries", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const form = await passing(b, "default");
    const { id } = await b.submit(form, { fields: { email } });
    expect((await ask(b, "export")).json.data).toMatchObject([{ id }]);
    expect((await ask(b, "erase")).json.erased).toEqual({ submissions: 1, files: 0, deliveries: 1 });
    expect(await storage.page("transient_submissions", all)).toEqual([]);
    await b.tick();
    expect(b.webhookCalls).toEqual([]);
  });

  it("of another team, or of a form outside the key's, is neither exported nor erased", async () => {
    const b = harness();
    const other = await b.teams.create({ name: "Other" });
    const forms = [await passing(b, "default"), await passing(b, "default"), await passing(b, other.id)];
    const ids: string[] = [];
    for (const form of forms) ids.push((await b.submit(form, { fields: { email } })).id);
    const restricted = await b.keyWith("all", { form_ids: [String(forms[0])] });
    const idsOf = async (key?: string) => (await ask(b, "export", key)).json.data.map(({ id }: { id: string }) => id);
    expect(await idsOf(restricted)).toEqual([ids[0]]);
    expect(await idsOf()).toEqual([ids[0], ids[1]]);
    expect((await ask(b, "erase", restricted)).json.erased.submissions).toBe(1);
    expect((await ask(b, "erase")).json.erased.submissions).toBe(1);
    expect(await idsOf(await b.keyWith("all", { team_id: other.id }))).toEqual([ids[2]]);
  });
});

describe("an address", () => {
  it.each([
    ["in a field's value", { fields: { note: `from ${email}` } }],
    ["in a field's name", { fields: { [`from ${email}`]: "1" } }],
    ["as where a reply goes", { fields: { a: "1", _replyto: email } }],
    ["in the subject", { fields: { a: "1", _subject: `About ${email}` } }],
    ["in the page's URL", { fields: { a: "1" }, referer: `https://www.example.com/?for=${encodeURIComponent(email)}` }],
    [
      "in a file's name",
      { fields: {}, files: [{ key: "cv", name: `${email} cv.txt`, content: new TextEncoder().encode("Some text.") }] },
    ],
    [
      "as a file's name before its extension",
      { fields: {}, files: [{ key: "cv", name: `${email}.txt`, content: new TextEncoder().encode("Some text.") }] },
    ],
  ])("is found %s", async (_place, input) => {
    const b = harness();
    const { id: form } = await b.forms.create({ name: "A" });
    await b.submit(form, { fields: { email: "bob@example.com" } });
    const { id } = await b.submit(form, input);
    expect((await ask(b, "export")).json.data.map((found: { id: string }) => found.id)).toEqual([id]);
  });
});

it("an address in the user agent is found and erased", async () => {
  const b = harness();
  const { id: form } = await b.forms.create({ name: "A" });
  await b.post(form, "a=1", { "user-agent": `a feed reader (+mailto:${email})` });
  expect((await ask(b, "export")).json.data).toHaveLength(1);
  expect((await ask(b, "erase")).json.erased).toMatchObject({ submissions: 1 });
  expect((await b.submissions.list(form)).data).toEqual([]);
});

it("files named after an address are erased with their bytes, and only an address that may be hers is told", async () => {
  const b = harness();
  const { id: form_id } = await b.forms.create({ name: "A" });
  const file = (name: string) => ({
    fields: {},
    files: [{ key: "cv", name, content: new TextEncoder().encode("Some text.") }],
  });
  for (const name of [`${email}.txt`, `${email}.tar.txt`, "Ann@Example.com.TXT"]) await b.submit(form_id, file(name));
  const near: string[] = [];
  for (const input of [
    { fields: { note: "Ann @ example.com" } },
    { fields: { note: "ann&#64;example.com" } },
    file(`cv-${email}.txt`),
  ])
    near.push((await b.submit(form_id, input)).id);
  const other = await b.submit(form_id, { fields: { email: "joann@example.com" } });
  const similar = near.map((submission_id) => ({ form_id, submission_id }));
  expect((await ask(b, "export")).json).toMatchObject({ data: [{}, {}, {}], similar });
  expect((await ask(b, "erase")).json).toEqual({
    erased: { submissions: 3, files: 3, deliveries: 0 },
    similar,
    at: expect.any(String),
  });
  const left = (await b.submissions.list(form_id, { order: "asc" })).data.map(({ id }) => id);
  expect(left).toEqual([...near, other.id]);
});

it("at most 100 near misses are told", async () => {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "A" });
  for (let i = 0; i < 101; i++) await b.submit(id, { fields: { a: "ann (at) example.com" } });
  expect((await ask(b, "erase")).json.similar).toHaveLength(100);
});

describe("a near miss", () => {
  const isNear = similarTo(email);
  it.each([
    "Ann @ example.com",
    "ann&#64;example.com",
    "ann&#x40;example&period;com",
    "ann&commat;example.com",
    "ann (at) example (dot) com",
    "ann at example dot com",
    "ann[at]example.com",
    "write to ann@example. com now",
    "ann\u200b@exam\u00adple.com",
  ])("is %j", (text) => {
    expect(mentionOf(email)(text)).toBe(false);
    expect(isNear(text)).toBe(true);
  });

  it.each(["joann @ example.com", "jo-ann@example.com", "meet at example.com", "ann @ example.community"])(
    "is not %j",
    (text) => expect(isNear(text)).toBe(false),
  );

  it("of a file's name is a part of it", () => {
    for (const name of [`cv-${email}.pdf`, `${email}-cv.pdf`, `${email}.au`, "ann (at) example.com.pdf"]) {
      expect(nameMentionOf(email)(name), name).toBe(false);
      expect(similarNameTo(email)(name), name).toBe(true);
    }
    for (const name of [`jo${email}.pdf`, "ann@example.community.pdf"])
      expect([nameMentionOf(email)(name), similarNameTo(email)(name)], name).toEqual([false, false]);
  });

  it("is looked for in linear time", () => {
    for (const unit of [" ", "@", " @", "( at", "&#", "%25", "\u200b", "ann@example.", ".", "[ dot"]) {
      const text = unit.repeat(500_000 / unit.length);
      const started = performance.now();
      isNear(text);
      similarNameTo(email)(text.slice(0, 10_000));
      nameMentionOf(email)(text.slice(0, 10_000));
      expect(performance.now() - started, unit).toBeLessThan(3_000);
    }
  });
});

describe("a near spelling", () => {
  const holds = mentionOf(email);
  it.each([
    `-${email}`,
    `'${email}'`,
    `_${email}_`,
    `--${email}--`,
    `to:${email}.`,
    `<${email}>`,
    "ANN@Example.COM",
    "ann%40example.com",
    "?q=%20ann%40example.com",
    "%3Cann@example.com%3E",
    "ａｎｎ@example.com",
  ])("%s holds the address", (text) => {
    expect(holds(text)).toBe(true);
    expect(holds(`before ${text} behind`)).toBe(true);
  });

  it.each([
    "joann@example.com",
    "jo-ann@example.com",
    "o'ann@example.com",
    "jo.-ann@example.com",
    "ann@example.com.au",
    "ann@example.com-x.org",
    "ann@example.community",
  ])("%s is another address", (text) => {
    expect(holds(text)).toBe(false);
    expect(holds(`before ${text} behind`)).toBe(false);
  });

  it("of a domain is found in letters and in Punycode", () => {
    for (const asked of ["ann@bücher.example", "ann@xn--bcher-kva.example"]) {
      const found = mentionOf(asked);
      expect(["ann@bücher.example", "Ann@XN--bcher-kva.example", "ann@bucher.example"].map(found)).toEqual([
        true,
        true,
        false,
      ]);
    }
  });
});

describe("deliveries without their submission", () => {
  const jobsIn = async (storage: StorageDriver) =>
    (await storage.page("jobs", { ...all, order: "asc" })) as unknown as Stored<JobRecord>[];

  it("are erased with the person: those of a submission that was deleted, and of one that was never stored", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const auto_response = { enabled: true };
    const stored = await b.forms.create({ name: "A", auto_response });
    const passing = await b.forms.create({ name: "P", auto_response, storage: { store_submissions: false } });
    const other = await b.forms.create({ name: "O", auto_response });
    const { id } = await b.submit(stored.id, { fields: { email } });
    await b.submit(passing.id, { fields: { email } });
    await b.submit(other.id, { fields: { email: "bob@example.com" } });
    await b.tick();
    await b.submissions.delete(stored.id, id);
    expect(JSON.stringify(await jobsIn(storage))).toContain(email);
    await ask(b, "erase");
    const left = await jobsIn(storage);
    expect(JSON.stringify(left)).not.toContain(email);
    expect(left.map(({ value }) => value.to)).toEqual(["bob@example.com"]);
  });

  it("that wait to be sent to a team's owner still go to the address", async () => {
    const b = harness({ plans: { tiny: { submissions_per_month: 1 } } });
    await b.teams.create({ id: "acme", name: "Acme", plan: "tiny", owner: { email } });
    const { id } = await b.forms.create(
      { name: "A", self_email_notification: { enabled: false } },
      { team_id: "acme" },
    );
    for (let n = 0; n < 2; n++) await b.submit(id, { fields: { n: String(n) } });
    expect((await ask(b, "erase", await b.keyWith("all", { team_id: "acme" }))).status).toBe(200);
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual([email]);
  });

  it("lose what a mail server or receiver said of the person, and stay where the submission is another's", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const form = await b.forms.create({ name: "A" });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/" });
    await b.submit(form.id, { fields: { email: "bob@example.com" } });
    await b.tick();
    const [row] = await jobsIn(storage);
    if (!row) return expect.fail("no delivery");
    const value = { ...row.value, message: `550 <${email}> is unknown` };
    await storage.commit([{ op: "put", collection: "jobs", id: row.id, value }]);
    const foreign = await b.keyWith("all", { team_id: (await b.teams.create({ name: "Other" })).id });
    await ask(b, "erase", foreign);
    expect((await jobsIn(storage))[0]?.value.message, "of another team").toContain(email);
    expect((await ask(b, "erase")).json.erased.deliveries).toBe(1);
    const [left] = await jobsIn(storage);
    expect([left?.value.status, left?.value.target, left?.value.message]).toEqual([
      "succeeded",
      row.value.target,
      undefined,
    ]);
  });

  it("lose it too if a worker changes the delivery at that moment", async () => {
    const storage = memoryStorage();
    let races = false;
    const racing: StorageDriver = {
      ...storage,
      async commit(writes) {
        const [write] = writes;
        if (races && write?.op === "put" && write.collection === "jobs") {
          races = false;
          const found = (await storage.get("jobs", [write.id])).get(write.id) as Stored;
          await storage.commit([{ ...write, value: { ...found.value, attempt: 2 }, expect: found.version }]);
        }
        await storage.commit(writes);
      },
    };
    const b = harness({ storage: racing });
    const form = await b.forms.create({ name: "A" });
    await b.webhooks.create(form.id, { url: "https://hooks.example.com/" });
    await b.submit(form.id, { fields: { email: "bob@example.com" } });
    await b.tick();
    const [row] = await jobsIn(storage);
    if (!row) return expect.fail("no delivery");
    const value = { ...row.value, message: `550 <${email}> is unknown` };
    await storage.commit([{ op: "put", collection: "jobs", id: row.id, value }]);
    races = true;
    expect((await ask(b, "erase")).json.erased.deliveries).toBe(1);
    const [left] = await jobsIn(storage);
    expect([left?.value.attempt, left?.value.message]).toEqual([2, undefined]);
  });
});
