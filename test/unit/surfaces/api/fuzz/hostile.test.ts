import fc from "fast-check";
import { expect, it } from "vitest";
import { type Harness, harness } from "../../../../_support/backend.ts";
import { cpuTime } from "../../../../_support/cpu.ts";
import { runs } from "../../../../_support/runs.ts";

const CASES = runs(30, 2_000);
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_122);
const TURN_MS = 100;
/** All that a case may cost: five changes, two posts, their mails and an export. */
const WORK_MS = 1_200;
/** What `ordinary` takes on a machine on which a turn must be over in that time. */
const ORDINARY_MS = 8;

const names = ["fields", "a", "b", "c", "d", "e", "f", "g", "h", "key", "value", ".", "form.name"];
const name = fc.constantFrom(...names);

const tag = fc.oneof(
  name.map((n) => `{{${n}}}`),
  name.map((n) => `{{{${n} | javascript:x}}}`),
  name.map((n) => `<a href="{{${n}}}{{${n}}}">`),
  fc.constantFrom("<p>", "<", "&amp;", '"', "\n", " ".repeat(400), "{{! }}", "x".repeat(900)),
);
/** Sections inside one another, often with nothing in them. */
const nest = fc
  .record({
    outer: fc.array(name, { minLength: 1, maxLength: 10 }),
    inner: fc.array(tag, { maxLength: 4 }),
    inverted: fc.boolean(),
  })
  .map(({ outer, inner, inverted }) => {
    const sign = inverted ? "^" : "#";
    const open = outer.map((n, at) => `{{${at === outer.length - 1 ? sign : "#"}${n}}}`);
    return `${open.join("")}${inner.join("")}${outer
      .map((n) => `{{/${n}}}`)
      .reverse()
      .join("")}`;
  });
const repeated = (piece: fc.Arbitrary<string>, most: number) =>
  fc
    .record({ piece, times: fc.oneof(fc.nat({ max: 20 }), fc.constant(200_000)) })
    .map(({ piece: text, times }) => text.repeat(Math.min(times, Math.floor(most / Math.max(1, text.length)))));
const template = (most: number) =>
  repeated(fc.oneof({ weight: 3, arbitrary: nest }, { weight: 2, arbitrary: tag }), most);

const atom = fc.constantFrom(
  ...["a", ".", "\\pL", "\\PN", "[^\\pL]", "[a-\\x{ffff}]", "[a-z]", "(?:)", "\\d", "k", "[\\pL\\PL]", "^", "\\b", "é"],
);
const regex = fc.letrec<{ re: string }>((tie) => ({
  re: fc.oneof(
    { depthSize: "small" },
    atom,
    fc
      .tuple(tie("re"), fc.constantFrom("*", "+", "?", "{9}", "{1000}", "{0,30}", "{2,}"))
      .map(([r, q]) => `(${r})${q}`),
    fc.tuple(tie("re"), tie("re")).map(([a, b]) => `${a}|${b}`),
    fc.tuple(tie("re"), tie("re")).map((both) => both.join("")),
    tie("re").map((r) => `(?i)${r}`),
  ),
})).re;
/** Few characters that are a large program: classes of all letters, repeated inside repeats. */
const heavy = fc
  .record({
    inner: fc.constantFrom("\\pL", "[^\\pL]", "(?i)[\\PN]", "[a-\\x{ffff}]", "(\\pL|\\d)?", "a*"),
    repeats: fc.array(fc.constantFrom(2, 9, 30, 100, 999), { minLength: 1, maxLength: 3 }),
  })
  .map(({ inner, repeats }) => repeats.reduce<string>((all, times) => `(${all}){${times}}`, inner));
const pattern = fc.oneof(
  { weight: 2, arbitrary: heavy },
  {
    weight: 3,
    arbitrary: fc
      .record({ regex, times: fc.nat({ max: 60 }) })
      .map(({ regex: r, times }) => r.repeat(1 + times).slice(0, 512)),
  },
);

const text = fc
  .record({
    piece: fc.constantFrom("a", "ab,", "a,", "é", "İ", " "),
    times: fc.constantFrom(1, 50, 1_600),
    end: fc.constantFrom("", "b"),
  })
  .map(({ piece, times, end }) => piece.repeat(times) + end);
const check = fc.oneof(
  { weight: 3, arbitrary: pattern.map((value) => ({ type: "pattern", value })) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("contains", "not_contains", "equals", "one_of"), value: text }),
  },
  fc.constantFrom("email", "url", "number", "date", "phone", "required").map((type) => ({ type })),
  fc.constantFrom(
    { type: "min_length", value: "1" },
    { type: "max_length", value: "999999" },
    { type: "max", value: "1e300" },
  ),
);
const rules = fc
  .record({
    checks: fc.array(check, { minLength: 1, maxLength: 10 }),
    // Full forms, whose patterns differ so that each has to be compiled.
    copies: fc.constantFrom(1, 10, 100),
  })
  .map(({ checks, copies }) =>
    Array.from({ length: copies }, (_, n) => ({
      field: "a",
      checks: checks.map((one) =>
        "value" in one && one.type === "pattern" ? { ...one, value: `${one.value.slice(0, 500)}${n}?` } : one,
      ),
    })),
  );

const patch = fc.record(
  {
    self_email_notification: fc.record(
      { subject: template(300), template: fc.record({ html: template(200_000) }) },
      { requiredKeys: [] },
    ),
    auto_response: fc.record({
      enabled: fc.constant(true),
      subject: template(300),
      template: fc.record({ message: template(10_000), html: template(200_000) }, { requiredKeys: [] }),
    }),
    validation: fc.record({ rules }),
    after_submit: fc.record({
      page: fc.record({ message: template(10_000), headline: template(300) }),
      redirect: fc.record({
        append_submission_to_url: fc.boolean(),
        success_url: fc.constantFrom("", "https://x.example/"),
      }),
    }),
  },
  { requiredKeys: [] },
);

/** A visitor's fields: many, large, repeated, empty. */
const fields = fc
  .record({
    value: fc.constantFrom(
      "",
      "v",
      '"<&',
      "a ".repeat(900),
      "javascript:",
      "=1;=2",
      "a".repeat(60_000),
      "https://a.example",
    ),
    count: fc.constantFrom(1, 16, 490),
    spread: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ value, count, spread }) => {
    const body = new URLSearchParams({ email: "ann@example.com" });
    const most = Math.min(count, Math.floor(900_000 / Math.max(1, value.length)));
    for (let n = 0; n < most; n++) body.append("abcdefgh"[n % spread] as string, value);
    return body.toString();
  });

/** The longest turn of the event loop while `work` runs, and all of its time, ms of this process. */
async function measured(work: () => Promise<void>): Promise<{ turn: number; all: number }> {
  let longest = 0;
  const from = cpuTime();
  let before = from;
  let timer = setImmediate(function turn() {
    const now = cpuTime();
    longest = Math.max(longest, now - before);
    before = now;
    timer = setImmediate(turn);
  });
  await work();
  clearImmediate(timer);
  const now = cpuTime();
  return { turn: Math.max(longest, now - before), all: now - from };
}

/** CPU time of ordinary work, ms: how fast this machine is at the moment. */
function ordinary(): number {
  const times: number[] = [];
  for (let run = 0; run < 9; run++) {
    const before = cpuTime();
    let sum = 0;
    for (let n = 0; n < 800; n++) sum += JSON.stringify(JSON.parse(`["${"word ".repeat(400)}"]`)).length;
    for (let n = 0; n < 2_000_000; n++) sum = (sum * 31 + n) | 0;
    expect(sum).not.toBe(1);
    times.push(cpuTime() - before);
  }
  return times.sort((a, b) => a - b)[4] as number;
}

/** What a case is like, without its length. */
const shapeOf = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "string" && one.length > 60
      ? `${one.slice(0, 60)}… ${one.length}`
      : Array.isArray(one)
        ? [...one.slice(0, 1), one.length]
        : one,
  );

const logged: string[] = [];
const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void logged.push(message) };

async function attack(b: Harness, settings: object, body: string, seen: Map<string, number>): Promise<void> {
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const form = await b.forms.create({
    name: "A",
    spam: { protection: false },
    self_email_notification: { recipients: ["ann@example.com", "ben@example.com"] },
  });
  // Block by block, as a refused one would hide the others.
  for (const [block, value] of Object.entries(settings)) {
    const answer = await b.call("PATCH", `/v1/forms/${form.id}`, { body: { [block]: value } });
    note(`PATCH ${answer.status}`);
    // 413: a thousand long rules are more than a request may carry.
    expect([200, 400, 413], answer.text).toContain(answer.status);
    if (answer.status === 400)
      expect(answer.json.error).toMatchObject({ code: "invalid_parameter", param: expect.any(String) });
  }
  for (let n = 0; n < 2; n++) {
    const { status, text: answer } = await b.post(form.id, body, { accept: "application/json" });
    note(`POST ${status}`);
    expect([200, 422], answer).toContain(status);
  }
  await b.tick();
  for (const { code } of await b.jobs.list({ form_id: form.id })) {
    note(code);
    expect(code).toMatch(/^(SUCCESS|ERROR_EMAIL_TEMPLATE|SKIPPED_RECIPIENT_RATE_LIMITED)$/);
  }
  await b.call("GET", `/v1/forms/${form.id}/submissions/export?format=csv`);
}

it(`${CASES} forms of a hostile tenant, each with a hostile post, hold no turn of the event loop and end no job`, {
  timeout: 300_000 + CASES * 1_000,
}, async () => {
  const seen = new Map<string, number>();
  const turns: number[] = [];
  const work: number[] = [];
  let b = harness({ rateLimit: false, logger });
  let slowness = 1;
  // What is compiled at first use is not the tenant's.
  const warm = { auto_response: { enabled: true, subject: "{{#fields}}{{a}}{{/fields}}" }, validation: { rules: [] } };
  for (let n = 0; n < 5; n++) await attack(b, warm, `a=${"x+".repeat(30_000)}&email=ann@example.com`, seen);
  await fc.assert(
    fc.asyncProperty(patch, fields, async (settings, body) => {
      if (turns.length % 20 === 0) {
        await b.close();
        b = harness({ rateLimit: false, logger });
        slowness = Math.max(1, ordinary() / ORDINARY_MS);
      }
      // A turn that is long by what it does is long each time; one that met the garbage collector is not.
      let turn = Number.POSITIVE_INFINITY;
      let all = Number.POSITIVE_INFINITY;
      for (let again = 0; again < 5 && (turn > TURN_MS || all > WORK_MS); again++) {
        const took = await measured(() => attack(b, settings, body, seen));
        turn = Math.min(turn, took.turn / slowness);
        all = Math.min(all, took.all / slowness);
      }
      turns.push(turn);
      work.push(all);
      if (turn > TURN_MS / 2 && process.env["FUZZ_VERBOSE"]) console.log(turn, shapeOf(settings), shapeOf({ body }));
      expect(logged).toEqual([]);
    }),
    { numRuns: CASES, seed: SEED, endOnFailure: true },
  );
  await b.close();
  turns.sort((x, y) => x - y);
  work.sort((x, y) => x - y);
  const at = (times: number[], share: number) => (times[Math.floor((times.length - 1) * share)] as number).toFixed(1);
  console.log(
    `hostile settings: turns p50 ${at(turns, 0.5)}, p99 ${at(turns, 0.99)}, longest ${at(turns, 1)} ms;`,
    `a case p50 ${at(work, 0.5)}, p99 ${at(work, 0.99)}, longest ${at(work, 1)} ms;`,
    Object.fromEntries(seen),
  );
  for (const what of ["PATCH 200", "PATCH 400", "POST 200", "POST 422", "SUCCESS", "ERROR_EMAIL_TEMPLATE"])
    expect(seen.get(what), what).toBeGreaterThan(CASES / 20);
  expect(turns.at(-1)).toBeLessThanOrEqual(TURN_MS);
  expect(work.at(-1)).toBeLessThanOrEqual(WORK_MS);
});
