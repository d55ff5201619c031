import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ApiError } from "../../../../src/errors.ts";
import { readyRules } from "../../../../src/features/intake/form-rules.ts";
import { validate } from "../../../../src/features/intake/validate.ts";
import { CHECK_BUDGET } from "../../../../src/features/intake/values.ts";
import { compilePattern } from "../../../../src/lib/pattern.ts";
import type { Check, CheckType } from "../../../../src/model/rules.ts";
import { harness } from "../../../_support/backend.ts";
import { cpuTime } from "../../../_support/cpu.ts";

/** What the engine really did: instructions times characters, summed over every match that was run. */
const work = { done: 0, compiled: 0 };
vi.mock("../../../../src/lib/pattern.ts", async (original) => {
  const real = await original<typeof import("../../../../src/lib/pattern.ts")>();
  return {
    async compilePattern(source: string) {
      work.compiled++;
      const pattern = await real.compilePattern(source);
      if ("error" in pattern) return pattern;
      return {
        ...pattern,
        test(text: string) {
          work.done += pattern.cost * text.length;
          return pattern.test(text);
        },
      };
    },
  };
});
afterEach(() => Object.assign(work, { done: 0, compiled: 0 }));

type Rule = { field: string; checks: Check[] };
/** What the ordinary work below takes on a machine on which a turn must be over in 20 ms. */
const ORDINARY_MS = 3;
const check = (type: CheckType, value = "", message = ""): Check => ({ type, value, message });

/** The errors of a post, null where there are none. */
async function errorsOf(rules: Rule[], entries: [string, string][]): Promise<ApiError | null> {
  try {
    await validate(
      await readyRules({ enabled: true, rules }),
      entries.map(([key, value]) => ({ key, value })),
      undefined,
    );
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const passes = async (type: CheckType, wanted: string, value: string): Promise<boolean> =>
  (await errorsOf([{ field: "f", checks: [check(type, wanted)] }], [["f", value]])) === null;

describe("checks", () => {
  const long = "x".repeat(65_536);
  const table: [type: CheckType, wanted: string, pass: string[], fail: string[]][] = [
    ["required", "", ["x", " x ", "0", "😀"], ["", "   ", "\r\n\t"]],
    [
      "email",
      "",
      ["ann@example.com", " ann@example.com ", "a.b+c@sub.example.co", "josé@exämple.de", "o'neil@example.com"],
      [
        "ann",
        "ann@",
        "@example.com",
        "ann@localhost",
        "a@b@example.com",
        "ann@example.com, bo@example.com",
        "ann@example.com\r\nBcc: x@example.com",
        '"a b"@example.com',
        "ann@-x.com",
        long,
      ],
    ],
    [
      "url",
      "",
      ["https://example.com", "http://localhost:3000/a?b#c", " https://exämple.de/ü ", "HTTPS://EXAMPLE.COM"],
      [
        "example.com",
        "ftp://example.com",
        "javascript:alert(1)",
        "https://",
        "https://exa mple.com",
        "https:///x",
        "http://[::1",
        "https://x\njavascript:1",
        `https://example.com/${long}`,
      ],
    ],
    [
      "number",
      "",
      ["0", "-1.5", "+2", ".5", "5.", "1e3", " 12 "],
      ["abc", "1,5", "0x10", "1e999", "Infinity", "NaN", "--1", "1 2", "٣", "1".repeat(101)],
    ],
    ["contains", "Foo", ["a foo b", "FOO"], ["fo o", "bar"]],
    ["contains", "grüße", ["Viele GRÜSSE oder Grüße"], ["gruesse"]],
    ["not_contains", "http", ["hello"], ["see HTTP://x"]],
    ["equals", "four", ["four", " four "], ["Four", "four!", "4"]],
    ["one_of", "red, green ,blue", ["red", "green", " blue "], ["Red", "re", "red,green", "yellow"]],
    ["min_length", "3", ["abc", "😀😀😀", "a\r\nb"], ["ab", "😀😀", "\r\nb"]],
    ["max_length", "3", ["abc", "😀😀😀", "a\r\nb"], ["abcd", "😀😀😀😀"]],
    ["min", "5", ["5", "5.0", "1e2"], ["4.99", "-6", "five"]],
    ["max", "5", ["5", "-100", "4.9"], ["5.01", "1e2", "five"]],
    ["min", "-1.5", ["-1.5", "0"], ["-2"]],
    ["pattern", "^[a-z]{2,3}$", ["ab", "abc"], ["a", "abcd", "AB"]],
    ["pattern", "^\\p{L}+$", ["größe", "имя"], ["a1"]],
    ["pattern", "b", ["abc"], ["ac"]],
    [
      "date",
      "",
      ["2026-02-28", "2024-02-29", "2026-11-21T08:00", "2026-11-21T08:00:00.000Z", "2026-11-21 08:00:00+01:00"],
      [
        "2026-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-01-32",
        "21.11.2026",
        "11/21/2026",
        "tomorrow",
        "2026-1-1",
        "2026-11-21T25:00",
        long,
      ],
    ],
    [
      "phone",
      "",
      ["+49 30 123456", "(030) 123-456", "030/123.456", "555 0100", "+1 555 0100 ext. 12", "٠٣٠١٢٣٤٥٦"],
      ["1234", "call me", "+49 30 1234x", "++4930123456", "1234567890123456", "-----", long],
    ],
  ];

  for (const [type, wanted, pass, fail] of table) {
    it(`${type} ${wanted}`, async () => {
      for (const value of pass)
        expect(await passes(type, wanted, value), `${JSON.stringify(value)} must pass`).toBe(true);
      for (const value of fail)
        expect(await passes(type, wanted, value), `${JSON.stringify(value.slice(0, 60))} must fail`).toBe(false);
    });
  }

  it("pass on an empty value, all but required", async () => {
    for (const [type, wanted] of table) {
      if (type === "required") continue;
      for (const value of ["", "  ", "\r\n"]) expect(await passes(type, wanted, value), type).toBe(true);
      expect(await errorsOf([{ field: "f", checks: [check(type, wanted)] }], []), type).toBeNull();
    }
  });

  it("of a repeated field hold for each value; required needs one", async () => {
    const rules = [{ field: "to", checks: [check("required"), check("email")] }];
    expect(
      await errorsOf(rules, [
        ["to", "a@example.com"],
        ["to", ""],
        ["to", "b@example.com"],
      ]),
    ).toBeNull();
    expect(
      (
        await errorsOf(rules, [
          ["to", "a@example.com"],
          ["to", "b"],
        ])
      )?.fields?.["to"]?.rule,
    ).toBe("email");
    expect(
      (
        await errorsOf(rules, [
          ["to", ""],
          ["to", " "],
        ])
      )?.fields?.["to"]?.rule,
    ).toBe("required");
  });

  it("know a file by its field", async () => {
    const rules = await readyRules({ enabled: true, rules: [{ field: "cv", checks: [check("required")] }] });
    await validate(rules, [], undefined, ["cv"]);
    await expect(validate(rules, [], undefined, ["photo"])).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("speak in default sentences, or in the form's own", async () => {
    const says = async (type: CheckType, wanted: string, value: string, message = "") =>
      (await errorsOf([{ field: "age", checks: [check(type, wanted, message)] }], [["age", value]]))?.message;
    expect(await says("required", "", "")).toBe("The age field is required.");
    expect(await says("email", "", "x")).toBe("The age must be a valid email address.");
    expect(await says("min_length", "1", "x")).toBeUndefined();
    expect(await says("min_length", "2", "x")).toBe("The age must be at least 2 characters.");
    expect(await says("max_length", "1", "xx")).toBe("The age must be at most 1 character.");
    expect(await says("min", "18", "17")).toBe("The age must be at least 18.");
    expect(await says("one_of", "a,b", "c")).toBe("The age must be one of a, b.");
    expect(await says("one_of", "a,".repeat(500), "c")).toBe("The age must be one of the listed values.");
    expect(await says("not_contains", "x".repeat(4_000), "x".repeat(4_000))).toHaveLength(229);
    expect(await says("equals", "secret answer", "guess")).not.toContain("secret");
    expect(await says("pattern", "^a$", "b")).toBe("The age format is invalid.");
    expect(await says("email", "", "x", "Bitte prüfen")).toBe("Bitte prüfen");
  });

  it("give the first failed check of each field, in order", async () => {
    const rules = [
      { field: "name", checks: [check("required"), check("min_length", "3")] },
      { field: "email", checks: [check("min_length", "20"), check("email")] },
      { field: "email", checks: [check("contains", "@")] },
      { field: "ok", checks: [check("required")] },
    ];
    const error = await errorsOf(rules, [
      ["email", "x"],
      ["ok", "1"],
    ]);
    expect(error?.message).toBe("The name field is required. (+1 more errors)");
    expect(Object.entries(error?.fields ?? {})).toEqual([
      ["name", { message: "The name field is required.", rule: "required" }],
      ["email", { message: "The email must be at least 20 characters.", rule: "min_length" }],
    ]);
  });

  it("treat names that would hurt an object as names", async () => {
    for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      expect((await errorsOf([{ field: name, checks: [check("required")] }], []))?.fields?.[name], name).toEqual({
        message: `The ${name} field is required.`,
        rule: "required",
      });
      expect(await errorsOf([{ field: name, checks: [check("required")] }], [[name, "x"]]), name).toBeNull();
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["message"]).toBeUndefined();
  });
});

describe("the work budget of patterns", () => {
  const TOO_LONG = "The f is too long for this rule.";
  const once = (source: string, value: string) =>
    errorsOf([{ field: "f", checks: [check("pattern", source)] }], [["f", value]]);

  it("is exact: one character more fails without any matching", async () => {
    const source = "^(a|b)*a(a|b){150}$";
    const { cost } = (await compilePattern(source)) as { cost: number };
    const fits = Math.floor(CHECK_BUDGET.pattern / cost);
    expect((await once(source, "a".repeat(fits)))?.message).toBeUndefined();
    expect(work.done).toBe(cost * fits);
    work.done = 0;
    expect((await once(source, "a".repeat(fits + 1)))?.fields?.["f"]).toEqual({ message: TOO_LONG, rule: "pattern" });
    expect(work.done).toBe(0);
  });

  it("counts all values of a repeated field together", async () => {
    const { cost } = (await compilePattern("a+")) as { cost: number };
    const half = "a".repeat(Math.ceil(CHECK_BUDGET.pattern / cost / 2) + 1);
    const rules = [{ field: "f", checks: [check("pattern", "a+")] }];
    expect(await errorsOf(rules, [["f", half]])).toBeNull();
    expect(
      (
        await errorsOf(rules, [
          ["f", half],
          ["f", half],
        ])
      )?.message,
    ).toBe(TOO_LONG);
  });

  it("takes every value of the length that a count in the pattern is for", async () => {
    for (const [source, length] of [
      ["^.{490}$", 490],
      ["^.{0,240}$", 240],
      ["^[a-z]{1,120}[a-z ]{1,120}$", 240],
    ] as const) {
      expect(((await compilePattern(source)) as { cost: number }).cost).toBeGreaterThan(460);
      expect(await once(source, "a".repeat(length)), source).toBeNull();
    }
  });

  it("holds for a submission too: the fourth expensive check fails", async () => {
    const source = "^(a|b)*a(a|b){100}";
    const { cost } = (await compilePattern(source)) as { cost: number };
    const value = "a".repeat(Math.floor(CHECK_BUDGET.pattern / cost));
    const names = ["f1", "f2", "f3", "f4"];
    const error = await errorsOf(
      names.map((field) => ({ field, checks: [check("pattern", source)] })),
      names.map((name) => [name, value]),
    );
    expect(Object.keys(error?.fields ?? {})).toEqual(["f4"]);
    expect(work.done).toBeLessThanOrEqual(CHECK_BUDGET.submission);
  });

  it("lets a pattern pass that the engine no longer takes", async () => {
    expect(await once("(?=x)", "anything")).toBeNull();
  });

  /** CPU time, ms, of the engine for as much work as a submission may cause, with a pattern and text as they usually are. */
  async function ordinary(): Promise<number> {
    const source = "^[a-z]+( [a-z]+)*$";
    const { cost } = (await compilePattern(source)) as { cost: number };
    const value = "word ".repeat(CHECK_BUDGET.pattern / cost / 5 - 1).trimEnd();
    const rules = [1, 2, 3].map((n) => ({ field: `f${n}`, checks: [check("pattern", source)] }));
    const times: number[] = [];
    for (let i = 0; i < 30; i++) {
      const before = cpuTime();
      expect(
        await errorsOf(
          rules,
          [1, 2, 3].map((n) => [`f${n}`, value]),
        ),
      ).toBeNull();
      times.push(cpuTime() - before);
    }
    return times.sort((a, b) => a - b)[15] ?? Number.NaN;
  }

  it("S5: known catastrophic patterns and adversarial RE2 programs on 64 KB values stay within it", async () => {
    const sources = [
      "(a+)+$",
      "^(([a-z])+.)+[A-Z]([a-z])+$",
      "(a|aa)+$",
      "(a|a?)+$",
      "(x+x+)+y",
      "^(a|b)*a(a|b){150}$",
      "(.*)(.*)(.*)(.*)(.*)[^a]",
      "^(\\p{L}|\\d)*a(\\p{L}|\\d){60}$",
      "([a-z]{1,20}){1,20}!$",
      "(?:a?){100}a{100}",
      "^\\s+|\\s+$",
      "(\\w+\\s?)*!$",
    ];
    const values = ["a", "ab", "x", " ", "aA", "ä"].map((piece) => piece.repeat(64 * 1024).slice(0, 64 * 1024));
    // In CPU time, so that what else the machine does is not taken for ours.
    const turns: number[] = [];
    let before = cpuTime();
    let timer: NodeJS.Immediate;
    const turn = (): void => {
      const now = cpuTime();
      turns.push(now - before);
      before = now;
      timer = setImmediate(turn);
    };
    timer = setImmediate(turn);
    let worst = 0;
    for (const source of sources) {
      for (const value of values) {
        for (const length of [value.length, 20_000, 1_000]) {
          work.done = 0;
          await errorsOf(
            [1, 2, 3].map((n) => ({ field: `f${n}`, checks: [check("pattern", source)] })),
            [1, 2, 3].map((n) => [`f${n}`, value.slice(0, length)]),
          );
          worst = Math.max(worst, work.done);
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    }
    clearImmediate(timer);
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThanOrEqual(CHECK_BUDGET.submission);
    turns.sort((a, b) => a - b);
    const [p99 = Number.NaN, max = Number.NaN] = [turns[Math.floor(turns.length * 0.99)], turns.at(-1)];
    console.log(
      `S5: most work of a submission ${worst}; a turn of the event loop takes at most ${max.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    );
    // 20 and 60 ms where the machine is no slower than this; a slow one is judged by how long the engine takes over ordinary work.
    const slowness = Math.max(1, (await ordinary()) / ORDINARY_MS);
    console.log(`S5: slowness ${slowness.toFixed(2)}`);
    expect(p99 / slowness).toBeLessThanOrEqual(20);
    expect(max / slowness).toBeLessThanOrEqual(60);
  });
});

describe("the work budget of a post", () => {
  const cheap = [check("contains", "x"), check("not_contains", "#"), check("min_length", "1"), check("one_of", "y,z")];
  const large = Array.from({ length: 16 }, (): [string, string] => ["f", "x".repeat(64 * 1024)]);

  it("is one for the checks of every kind", async () => {
    const rules = (count: number) => Array.from({ length: count }, () => ({ field: "f", checks: cheap.slice(0, 3) }));
    expect(await errorsOf(rules(10), large)).toBeNull();
    expect((await errorsOf(rules(100), large))?.fields?.["f"]?.message).toBe("The f is too long for this rule.");
  });

  it("leaves a thousand checks of 500 short values as they are", async () => {
    const checks = [check("contains", "x"), check("max_length", "5"), check("not_contains", "y".repeat(5_000))];
    const rules = Array.from({ length: 100 }, () => ({ field: "f", checks: [...checks, ...checks, ...checks] }));
    const values = Array.from({ length: 500 }, (): [string, string] => ["f", "x"]);
    expect(await errorsOf(rules, values)).toBeNull();
  });

  it("is spent on values, and not on reading the rules anew for each of them", async () => {
    const list = `${"a,".repeat(2_000)}x`;
    const checks = [check("one_of", list), check("contains", "X"), check("not_contains", `#${"Y".repeat(4_000)}`)];
    const rules = Array.from({ length: 100 }, () => ({ field: "f", checks }));
    const ready = await readyRules({ enabled: true, rules });
    const fields = Array.from({ length: 500 }, () => ({ key: "f", value: "x" }));
    const split = vi.spyOn(String.prototype, "split");
    const fold = vi.spyOn(String.prototype, "toLowerCase");
    try {
      await validate(ready, fields, undefined);
      expect(split).not.toHaveBeenCalled();
      expect(fold.mock.calls.length).toBeLessThanOrEqual(500);
    } finally {
      split.mockRestore();
      fold.mockRestore();
    }
  });

  it("is spent in a turn of the event loop of its own, however many posts come at once", async () => {
    const rules = [{ field: "f", checks: cheap.slice(0, 3) }];
    const ready = await readyRules({ enabled: true, rules });
    const fields = large.map(([key, value]) => ({ key, value }));
    let turn = 0;
    let timer = setImmediate(function count() {
      turn++;
      timer = setImmediate(count);
    });
    const ends = await Promise.all(
      Array.from({ length: 30 }, () => validate(ready, fields, undefined).then(() => turn)),
    );
    clearImmediate(timer);
    expect(new Set(ends).size).toBe(30);
  });
});

describe("the patterns of a form", () => {
  const rulesWith = (sources: readonly string[]) =>
    Array.from({ length: Math.ceil(sources.length / 10) }, (_, n) => ({
      field: `f${n}`,
      checks: sources.slice(10 * n, 10 * n + 10).map((value) => ({ type: "pattern" as const, value })),
    }));
  const many = (count: number, source: (n: number) => string) => Array.from({ length: count }, (_, n) => source(n));

  it("are compiled once for a version of it, and once for posts that come together", async () => {
    const b = harness();
    const rules = rulesWith(many(1_000, (n) => `^a{0,3}${n}?$`));
    const form = await b.forms.create({ name: "A", validation: { rules } });
    const compiledBy = async (does: () => Promise<unknown>) => {
      const before = work.compiled;
      await does();
      return work.compiled - before;
    };
    const post = () => b.post(form.id, { f0: "a", f1: "a", f99: "a" });
    expect(await compiledBy(() => Promise.all([post(), post(), post()]))).toBe(1_000);
    expect(await compiledBy(post)).toBe(0);
    await b.forms.update(form.id, { validation: { rules: rules.slice(0, 1) } });
    expect(await compiledBy(post)).toBe(10);
  });

  it("have one budget at save; what goes beyond it is named", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const classes = many(200, (n) => `${"\\pL\\PN".repeat(40)}${n}`);
    for (const [rules, at] of [
      [rulesWith(classes), "3.checks.0"],
      [rulesWith(many(1_000, (n) => `(?:abcdefghij){40}${n}`)), "12.checks.3"],
    ] as const) {
      const answer = await b.call("PATCH", `/v1/forms/${id}`, { body: { validation: { rules } } });
      const param = `validation.rules.${at}.value`;
      expect(answer.json.error).toMatchObject({
        code: "invalid_parameter",
        param,
        message: `\`${param}\` takes the patterns of this form beyond what they may cost together; use fewer or simpler ones.`,
      });
    }
    expect((await b.forms.get(id)).validation.rules).toEqual([]);
  });

  it("are refused by name where one of them can't be used", async () => {
    const b = harness();
    const rules = rulesWith([...many(12, (n) => `a${n}`), "(a", "b"]);
    const param = "validation.rules.1.checks.2.value";
    await expect(b.forms.create({ name: "A", validation: { rules } })).rejects.toMatchObject({
      code: "invalid_parameter",
      param,
    });
  });

  it("are compiled in steps: others have their turn while a form is saved", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    let turns = 0;
    let timer = setImmediate(function count() {
      turns++;
      timer = setImmediate(count);
    });
    await b.forms.update(id, { validation: { rules: rulesWith(many(900, (n) => `^[a-z]{1,9}\\p{L}${n}$`)) } });
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(3);
  });
});

describe("a Standard Schema", () => {
  const Contact = z.object({
    email: z.email(),
    tag: z.array(z.string()).optional(),
    age: z.coerce.number().min(18).optional(),
  });

  it("reports issues behind the rules' own errors", async () => {
    const b = harness();
    const form = await b.forms.create({
      name: "A",
      validation: {
        rules: [
          { field: "name", checks: [{ type: "required" }] },
          { field: "email", checks: [{ type: "min_length", value: "5" }] },
        ],
      },
    });
    b.forms.useSchema(form.id, Contact);
    const { status, json } = await b.post(form.id, { email: "x", age: 17, tag: ["a", "b"] });
    expect([status, json.error.code, json.message]).toEqual([
      422,
      "validation_failed",
      "The name field is required. (+2 more errors)",
    ]);
    expect(
      Object.fromEntries(Object.entries<{ rule: string }>(json.errors).map(([field, { rule }]) => [field, rule])),
    ).toEqual({ name: "required", email: "min_length", age: "schema" });
    b.forms.useSchema(form.id, null);
    expect((await b.post(form.id, { name: "Ann", email: "abcde", age: 17 })).status).toBe(200);
  });

  it("may be async, gets plain text and lists, and changes nothing", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const seen: unknown[] = [];
    b.forms.useSchema(form.id, {
      "~standard": {
        version: 1,
        vendor: "test",
        async validate(value) {
          seen.push(value);
          await new Promise((resolve) => setImmediate(resolve));
          return { value: { changed: true } };
        },
      },
    });
    const { fields } = await b.submit(form.id, {
      fields: [
        { key: "a", value: "1" },
        { key: "__proto__", value: "p" },
        { key: "a", value: "2" },
        { key: "x.y", value: "" },
      ],
    });
    expect(fields.map(({ key }) => key)).toEqual(["a", "__proto__", "a", "x.y"]);
    const [input] = seen as Record<string, unknown>[];
    expect(Object.getPrototypeOf(input)).toBeNull();
    expect(Object.entries(input as object)).toEqual([
      ["a", ["1", "2"]],
      ["__proto__", "p"],
      ["x.y", ""],
    ]);
  });

  it("has issues with paths of every kind", async () => {
    const issues = [
      { message: "first", path: ["tags", 0] },
      { message: "second", path: [{ key: "tags" }, { key: 1 }] },
      { message: "proto", path: ["__proto__"] },
      { message: "whole" },
    ];
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    b.forms.useSchema(form.id, { "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } });
    const { text, json } = await b.post(form.id, { a: 1 });
    expect(json.message).toBe("first (+2 more errors)");
    expect(Object.entries(JSON.parse(text).errors)).toEqual([
      ["tags", { message: "first", rule: "schema" }],
      ["__proto__", { message: "proto", rule: "schema" }],
      ["_form", { message: "whole", rule: "schema" }],
    ]);
    const page = await b.post(form.id, "a=1", { accept: "text/html" });
    expect(page.text).not.toContain('name="_form"');
  });

  it("that throws stops the post and says nothing of it outside", async () => {
    const errors: string[] = [];
    const b = harness({ logger: { debug() {}, info() {}, warn() {}, error: (message) => void errors.push(message) } });
    const form = await b.forms.create({ name: "A" });
    b.forms.useSchema(form.id, {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => {
          throw new Error("inner cause");
        },
      },
    });
    const { status, text } = await b.post(form.id, { a: 1 });
    // The log names the error and its place, and not its text, which may hold what was posted.
    expect([status, text.includes("inner cause"), errors.length > 0]).toEqual([500, false, true]);
    expect(errors.join()).not.toContain("inner cause");
  });

  it("must be one", () => {
    const b = harness();
    for (const wrong of [{}, undefined, "x", { "~standard": {} }])
      expect(() => b.forms.useSchema("id", wrong as never)).toThrow(TypeError);
  });
});

describe("a refused post", () => {
  const rules = [
    { field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] },
    { field: "consent", checks: [{ type: "required" as const, message: "Please <agree>." }] },
  ];

  it("answers 422 in JSON with errors by field", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", validation: { rules } });
    const { status, json } = await b.post(form.id, "email=nobody", { accept: "application/json" });
    expect(status).toBe(422);
    expect(json).toMatchObject({
      code: 422,
      status: "error",
      message: "The email must be a valid email address. (+1 more errors)",
      errors: {
        email: { message: "The email must be a valid email address.", rule: "email" },
        consent: { message: "Please <agree>.", rule: "required" },
      },
      error: {
        code: "validation_failed",
        type: "invalid_request_error",
        message: "The email must be a valid email address. (+1 more errors)",
      },
    });
    expect((await b.forms.get(form.id)).submissions.all_time).toBe(0);
  });

  it("shows each message at its input, keeps what was typed and what steers the post", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", validation: { rules } });
    const { status, text } = await b.post(form.id, "email=nobody&_next=/thanks&_token=t&altcha=x", {
      accept: "text/html",
      referer: "https://site.example/contact",
    });
    expect(status).toBe(422);
    const input = /<input[^>]*name="email"[^>]*>/.exec(text)?.[0] ?? "";
    const described = /aria-describedby="([^"]+)"/.exec(input)?.[1] ?? "nothing";
    expect(input).toContain('value="nobody"');
    expect(input).toContain('aria-invalid="true"');
    expect(new RegExp(`id="${described}"[^>]*>The email must be a valid email address\\.<`).test(text)).toBe(true);
    expect(text).toMatch(/<input[^>]*name="consent"[^>]*aria-invalid="true"/);
    expect(text).toContain("Please &lt;agree&gt;.");
    for (const [name, value] of [
      ["_next", "/thanks"],
      ["_token", "t"],
      ["altcha", "x"],
    ]) {
      expect(text).toContain(`<input type="hidden" name="${name}" value="${value}">`);
    }
  });

  it("is corrected on the error page and leads where the first try would have led, allowed origins or not", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", validation: { rules }, allowed_origins: ["https://site.example"] });
    const page = { accept: "text/html", origin: "https://site.example", referer: "https://site.example/de/contact" };
    const { text } = await b.post(form.id, "email=nobody&_next=thanks", page);
    const action = (/<form[^>]*action="([^"]+)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&");
    const send = (url: string) =>
      b.handle(
        new Request(url, {
          method: "POST",
          redirect: "manual",
          headers: {
            accept: "text/html",
            origin: new URL(b.baseUrl).origin,
            referer: form.endpoint,
            "content-type": "application/x-www-form-urlencoded",
          },
          body: "email=ann@example.com&consent=yes&_next=thanks",
        }),
      );
    const answer = await send(action);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://site.example/de/thanks"]);
    const elsewhere = await b.post(form.id, "email=ann@example.com&consent=yes", {
      accept: "application/json",
      origin: new URL(b.baseUrl).origin,
      referer: `${b.baseUrl}/`,
    });
    expect(elsewhere.json.error.code).toBe("origin_not_allowed");
    // Whoever writes the page into the address without the signature gets nothing for it.
    const forged = await send(action.replace("site.example", "evil.example"));
    expect(forged.headers.get("location") ?? "").not.toContain("evil.example");
  });

  it("is accepted where the form's validation is off", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", validation: { rules, enabled: false } });
    expect((await b.post(form.id, { email: "nobody" })).status).toBe(200);
  });

  it("throws the same in process", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", validation: { rules } });
    await expect(b.submit(form.id, { fields: { email: "ann@example.com" } })).rejects.toMatchObject({
      code: "validation_failed",
      status: 422,
      fields: { consent: { message: "Please <agree>.", rule: "required" } },
    });
  });
});
