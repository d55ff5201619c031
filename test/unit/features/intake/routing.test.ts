import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HostFormPatch } from "../../../../src/index.ts";
import type { Target } from "../../../../src/model/routing.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { runs } from "../../../_support/runs.ts";

const [ann, bob, cy] = ["ann@example.com", "bob@example.com", "cy@example.com"];
const everybody = [ann, bob, cy];
type Routing = NonNullable<NonNullable<HostFormPatch["settings"]>["routing"]>;
type Rules = NonNullable<Routing["rules"]>;

const is = (field: string, value: string) => ({ field, type: "equals" as const, value });

async function world(routing: Routing = {}, hooks = 0) {
  const b = harness({ rateLimit: false, plans: { unlimited: { webhooks_per_form: 10 } } });
  const { id } = await b.forms.create({ name: "F", self_email_notification: { recipients: everybody } });
  const webhooks: string[] = [];
  for (let n = 0; n < hooks; n++) {
    webhooks.push((await b.webhooks.create(id, { url: `https://hooks.example.com/${n}` })).id);
  }
  await b.forms.update(id, { settings: { routing } });
  return { b, id, webhooks, set: (next: Routing) => b.forms.update(id, { settings: { routing: next } }) };
}

/** Posts, and tells who got a mail and which webhooks were called. */
async function posted(b: Harness, id: string, body: object) {
  const [before, mailed] = [b.webhookCalls.length, b.mails.length];
  const { status } = await b.post(id, body);
  expect(status).toBe(200);
  await b.tick();
  return {
    mails: b.mails
      .slice(mailed)
      .map(({ to }) => to.address)
      .sort(),
    hooks: b.webhookCalls
      .slice(before)
      .map(({ url }) => new URL(url).pathname.slice(1))
      .sort(),
    submission: (await b.submissions.list(id)).data[0],
  };
}

describe("routing", () => {
  it("sends to the recipients of the rules that match, and to everybody where none does", async () => {
    const { b, id } = await world({
      rules: [
        { if: { all: [is("topic", "sales")] }, to: { recipients: [ann] } },
        { if: { any: [is("topic", "help"), is("urgent", "yes")] }, to: { recipients: [bob] } },
      ],
    });
    expect((await posted(b, id, { topic: "sales" })).mails).toEqual([ann]);
    expect((await posted(b, id, { topic: "help" })).mails).toEqual([bob]);
    expect((await posted(b, id, { topic: "sales", urgent: "yes" })).mails).toEqual([ann, bob]);
    const none = await posted(b, id, { topic: "else" });
    expect(none.mails).toEqual(everybody);
    expect(none.submission?.routed_to).toMatchObject({ rules: [], otherwise: false, recipients: everybody });
  });

  it("reads no further rule after one with stop, and takes otherwise where none matches", async () => {
    const { b, id } = await world({
      rules: [
        { if: { all: [is("a", "1")] }, to: { recipients: [ann] }, stop: true },
        { if: { all: [] }, to: { recipients: [bob] } },
      ],
      otherwise: { recipients: [cy] },
    });
    const stopped = await posted(b, id, { a: "1" });
    expect(stopped.mails).toEqual([ann]);
    expect(stopped.submission?.routed_to).toEqual({
      rules: [1],
      otherwise: false,
      recipients: [ann],
      cc: [],
      bcc: [],
      webhooks: [],
      subject: null,
    });
    expect((await posted(b, id, { a: "2" })).mails).toEqual([bob]);
    await b.forms.update(id, { settings: { routing: { rules: [{ if: { any: [] }, to: { recipients: [ann] } }] } } });
    const other = await posted(b, id, { a: "1" });
    expect([other.mails, other.submission?.routed_to?.otherwise]).toEqual([[cy], true]);
  });

  it("keeps the whole list of a member that no target names, unless one says none", async () => {
    const { b, id, webhooks, set } = await world({}, 3);
    const rule = (to: Target): Routing => ({ rules: [{ if: { all: [] }, to }] });
    await set(rule({ webhooks: [webhooks[1] ?? ""] }));
    expect(await posted(b, id, { a: "1" })).toMatchObject({ mails: everybody, hooks: ["1"] });
    await set(rule({ recipients: [bob] }));
    expect(await posted(b, id, { a: "1" })).toMatchObject({ mails: [bob], hooks: ["0", "1", "2"] });
    await set(rule({ recipients: [bob], none: true }));
    expect(await posted(b, id, { a: "1" })).toMatchObject({ mails: [], hooks: [] });
    await set(rule({ recipients: [], webhooks: [] }));
    expect(await posted(b, id, { a: "1" })).toMatchObject({ mails: [], hooks: [] });
  });

  it("takes the last of two subjects, before the page's own", async () => {
    const { b, id } = await world({
      rules: [
        { if: { all: [] }, to: { subject: "First" } },
        { if: { all: [is("topic", "sales")] }, to: { subject: "Sales: {{name}}" } },
      ],
    });
    await posted(b, id, { topic: "sales", name: "Zoë", _subject: "Mine" });
    expect(b.mails.map(({ subject }) => subject)).toEqual(["Sales: Zoë", "Sales: Zoë", "Sales: Zoë"]);
    await posted(b, id, { topic: "else", name: "Zoë" });
    expect(b.mails.at(-1)?.subject).toBe("First");
  });

  it("judges an absent or empty value as the contract says, and any value of several", async () => {
    const { b, id, set } = await world();
    const matches = async (condition: Rules[number]["if"], body: object) => {
      await set({ rules: [{ if: condition, to: { recipients: [ann] } }], otherwise: { recipients: [bob] } });
      return (await posted(b, id, { other: "x", ...body })).mails[0] === ann;
    };
    const one = (type: "contains" | "not_contains" | "exists" | "email" | "required", value = "", negate = false) => ({
      all: [{ field: "a", type, value, negate }],
    });
    for (const body of [{}, { a: "" }, { a: "  " }]) {
      expect(await matches(one("contains", "x"), body)).toBe(false);
      expect(await matches(one("not_contains", "x"), body)).toBe(true);
      expect(await matches(one("contains", "x", true), body)).toBe(true);
      expect(await matches(one("email", "", true), body)).toBe(true);
      expect(await matches(one("exists"), body)).toBe(false);
      expect(await matches(one("exists", "", true), body)).toBe(true);
    }
    expect(await matches(one("contains", "X"), { a: ["nothing", "an x"] })).toBe(true);
    expect(await matches(one("not_contains", "x"), { a: ["nothing", "an x"] })).toBe(false);
    expect(await matches(one("required"), { a: "y" })).toBe(true);
  });

  it("is decided once: what spam had skipped goes where the rules of its time said", async () => {
    const { b, id, set } = await world({ rules: [{ if: { all: [is("topic", "sales")] }, to: { recipients: [ann] } }] });
    await b.post(id, { topic: "sales", _gotcha: "x" });
    await set({ rules: [{ if: { all: [] }, to: { recipients: [cy] } }] });
    await b.tick();
    expect(b.mails).toHaveLength(0);
    const [spam] = (await b.submissions.list(id, { status: "spam" })).data;
    await b.submissions.bulk(id, { action: "mark_not_spam", ids: [spam?.id ?? ""], deliver: true });
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual([ann]);
  });

  it("decides by values that are not stored", async () => {
    const { b, id } = await world({ rules: [{ if: { all: [is("code", "7")] }, to: { recipients: [bob] } }] });
    await b.forms.update(id, { settings: { fields: { code: { store: "drop" } } } });
    expect((await posted(b, id, { code: "7", a: "1" })).mails).toEqual([bob]);
  });

  it("waits with a submission that asks its sender, and goes where it was decided", async () => {
    const { b, id, set } = await world({
      rules: [{ if: { all: [is("topic", "sales")] }, to: { recipients: [ann] } }],
    });
    await b.forms.update(id, { settings: { double_opt_in: { enabled: true } } });
    await b.post(id, { topic: "sales", email: "visitor@example.org" });
    await b.tick();
    const link = /https?:\S+\/c\/\S+/.exec(b.mails[0]?.text ?? "")?.[0] ?? "";
    await set({ rules: [] });
    const mailed = b.mails.length;
    const response = await b.handle(new Request(link, { method: "POST" }), { ip: "203.0.113.9" });
    expect(response.status).toBe(200);
    await b.tick();
    expect(b.mails.slice(mailed).map(({ to }) => to.address)).toEqual([ann]);
  });

  it("says in a dry run which rules matched, and where it would go", async () => {
    const { b, id } = await world(
      { rules: [{ if: { all: [is("a", "1")] }, to: { recipients: [ann], cc: [bob], bcc: [cy], subject: "S" } }] },
      1,
    );
    const { json } = await b.call("POST", `/f/${id}?dry_run=1`, { body: { a: "1" } });
    expect(json).toMatchObject({
      routed_to: { rules: [1], otherwise: false, recipients: [ann], cc: [bob], bcc: [cy], subject: "S" },
      emails: [{ kind: "owner_email", to: ann, cc: [bob], bcc: [cy], subject: "S" }],
      webhooks: [{ format: "standard" }],
    });
    const plain = await (await world()).b.call("POST", `/f/${id}?dry_run=1`, { body: { a: "1" } });
    expect(plain.json.routed_to).toBeUndefined();
  });

  it("agrees with a naive evaluator on posts to random rule sets", async () => {
    const { b, id, webhooks, set } = await world({}, 2);
    // Setting rules costs more than a post, so each set of them judges three.
    const posts = fc.array(bodies, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(routings(webhooks), posts, async ({ rules, otherwise }, all) => {
        await set({ rules, otherwise });
        for (const body of all) {
          const { json } = await b.call("POST", `/f/${id}?dry_run=1`, { body: { always: "there", ...body } });
          expect(json.routed_to ?? everywhere(webhooks)).toEqual(naive({ rules, otherwise }, body, webhooks));
        }
      }),
      { numRuns: runs(100, 500) },
    );
  });
});

const everywhere = (webhooks: string[]) => ({
  rules: [],
  otherwise: false,
  recipients: everybody,
  cc: [],
  bcc: [],
  webhooks,
  subject: null,
});

const fields = ["a", "b", "c"];
const texts = ["", " ", "1", "2", "12", "abc", "ABC", "a@example.com", "a,b", "x y"];
const bodies = fc.dictionary(
  fc.constantFrom(...fields),
  fc.oneof(fc.constantFrom(...texts), fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 })),
);
const checks = fc.oneof(
  fc.record({
    type: fc.constantFrom("contains", "not_contains", "equals", "one_of", "pattern" as const),
    value: fc.constantFrom("1", "a", "abc", "1,abc", "b"),
  }),
  fc.record({
    type: fc.constantFrom("min", "max", "min_length", "max_length" as const),
    value: fc.constantFrom("1", "2", "3"),
  }),
  fc.record({ type: fc.constantFrom("exists", "required", "email", "number" as const), value: fc.constant("") }),
);
const condition = fc
  .tuple(fc.constantFrom(...fields, "never"), checks, fc.boolean())
  .map(([field, check, negate]) => ({ field, ...check, negate }));
const conditions = fc.array(condition, { maxLength: 4 });
const part = fc.option(fc.subarray(everybody), { nil: undefined });
const targets = (webhooks: string[]) =>
  fc.record(
    {
      recipients: part,
      cc: part,
      bcc: part,
      webhooks: fc.option(fc.subarray(webhooks), { nil: undefined }),
      subject: fc.constantFrom("S1", "S2"),
      none: fc.option(fc.constant(true as const), { nil: undefined, freq: 8 }),
    },
    { requiredKeys: [] },
  );
const routings = (webhooks: string[]) =>
  fc.record({
    rules: fc.array(
      fc.record({
        if: fc.oneof(
          conditions.map((all) => ({ all })),
          conditions.map((any) => ({ any })),
        ),
        to: targets(webhooks),
        stop: fc.boolean(),
      }),
      { maxLength: 6 },
    ),
    otherwise: fc.option(targets(webhooks)),
  });

/** The contract's sentences, one after the other, without a thought for time. */
function naive(
  { rules, otherwise }: { rules: Rules; otherwise: Target | null },
  body: Record<string, string | string[]>,
  webhooks: string[],
) {
  if (rules.length === 0 && otherwise === null) return everywhere(webhooks);
  const holds = ({ field, type, value = "", negate = false }: NonNullable<Rules[number]["if"]["all"]>[number]) => {
    const values = [body[field] ?? []].flat().filter((text) => text.trim() !== "");
    const passes = (text: string): boolean => {
      const number = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      switch (type) {
        case "exists":
        case "required":
          return true;
        case "contains":
          return text.toLowerCase().includes(value.toLowerCase());
        case "not_contains":
          return !text.toLowerCase().includes(value.toLowerCase());
        case "equals":
          return text.trim() === value;
        case "one_of":
          return value.split(",").includes(text.trim());
        case "pattern":
          return new RegExp(value).test(text);
        case "min":
          return number >= Number(value);
        case "max":
          return number <= Number(value);
        case "min_length":
          return text.length >= Number(value);
        case "max_length":
          return text.length <= Number(value);
        case "email":
          return text.trim() === "a@example.com";
        default:
          return !Number.isNaN(number);
      }
    };
    const met = type === "not_contains" ? values.every(passes) : values.length > 0 && values.some(passes);
    return met !== negate;
  };
  const matched: number[] = [];
  for (let n = 0; n < rules.length; n++) {
    const rule = rules[n];
    const met = rule?.if.all ? rule.if.all.every(holds) : (rule?.if.any ?? []).some(holds);
    if (!met) continue;
    matched.push(n);
    if (rule?.stop) break;
  }
  const list: Target[] = matched.map((n) => rules[n]?.to ?? {});
  if (matched.length === 0 && otherwise) list.push(otherwise);
  const decided = { rules: matched.map((n) => n + 1), otherwise: matched.length === 0 && otherwise !== null };
  const subjects = list.flatMap(({ subject }) => subject ?? []);
  const subject = subjects[subjects.length - 1] ?? null;
  if (list.some(({ none }) => none)) return { ...decided, recipients: [], cc: [], bcc: [], webhooks: [], subject };
  const named = (member: "recipients" | "cc" | "bcc" | "webhooks") => list.flatMap((target) => target[member] ?? []);
  const isNamed = (member: "recipients" | "webhooks") => list.some((target) => target[member] !== undefined);
  let to = isNamed("recipients") ? everybody.filter((one) => named("recipients").includes(one)) : null;
  let cc = everybody.filter((one) => named("cc").includes(one) && !to?.includes(one));
  const bcc = everybody.filter((one) => named("bcc").includes(one) && !to?.includes(one) && !cc.includes(one));
  to ??= everybody.filter((one) => !cc.includes(one) && !bcc.includes(one));
  if (to.length === 0) [to, cc] = [cc, []];
  return {
    ...decided,
    recipients: to,
    cc,
    bcc,
    webhooks: isNamed("webhooks") ? webhooks.filter((one) => named("webhooks").includes(one)) : webhooks,
    subject,
  };
}
