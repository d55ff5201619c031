import { describe, expect, it } from "vitest";
import {
  type FieldPolicy,
  type FieldPolicyPatch,
  isProtected,
  keepsFrom,
  masked,
  patchedPolicy,
  policyLeaf,
  policyOf,
  protectedOf,
  protects,
  restricts,
  sinks,
  unprotected,
} from "../../../src/model/field-policy.ts";
import { leakFinder, leaksValue } from "../../../src/model/leaks.ts";

const plain: FieldPolicy = { store: "plain", email: "show", webhook: "show", export: "show", agents: "show" };
const hidden: FieldPolicy = { store: "encrypt", email: "omit", webhook: "omit", export: "omit", agents: "omit" };

describe("the policy of a field", () => {
  it("takes what a patch says, keeps the rest, and begins anew with another way to store", () => {
    expect(patchedPolicy(undefined, {})).toEqual(plain);
    expect(patchedPolicy(undefined, { store: "encrypt", agents: "mask" })).toEqual({ ...hidden, agents: "mask" });
    for (const sink of sinks) {
      const before = { ...plain, [sink]: "mask" } as FieldPolicy;
      expect(patchedPolicy(before, {})).toEqual(before);
      expect(patchedPolicy(before, { [sink]: "omit" })).toEqual({ ...plain, [sink]: "omit" });
      expect(patchedPolicy(before, { store: "encrypt" })).toEqual(hidden);
      expect(patchedPolicy(before, { store: "plain" })).toEqual(before);
    }
    expect(patchedPolicy({ ...plain, later: 1 } as FieldPolicy, {})).toHaveProperty("later", 1);
  });

  it("is read with the defaults of its way to store for each destination that a record says nothing of", () => {
    const read = (stored: unknown) => policyLeaf.read(stored as never);
    expect(read({})).toEqual(plain);
    expect(read({ store: "encrypt" })).toEqual(hidden);
    for (const sink of sinks) {
      const { [sink]: _, ...rest } = hidden;
      expect(read(rest)).toEqual(hidden);
      expect(read({ ...plain, [sink]: "mask" })).toEqual({ ...plain, [sink]: "mask" });
    }
  });

  it.each<[FieldPolicyPatch, boolean]>([
    [{}, false],
    [{ store: "plain", email: "show" }, false],
    [{ store: "hash" }, true],
    ...sinks.map((sink): [FieldPolicyPatch, boolean] => [{ [sink]: "mask" }, true]),
  ])("%j changes a field's default treatment: %s", (sent, is) => {
    expect(restricts(sent)).toBe(is);
    expect(protects({ a: plain, b: patchedPolicy(undefined, sent) })).toBe(is);
  });

  it("keeps something from a destination where one field does", () => {
    expect(keepsFrom({}, "email")).toBe(false);
    expect(keepsFrom({ a: plain, b: { ...plain, email: "mask" } }, "email")).toBe(true);
    expect(keepsFrom({ a: plain, b: { ...plain, email: "mask" } }, "webhook")).toBe(false);
    expect(protects({})).toBe(false);
  });

  it("is that of exactly this name, or else of one that looks the same; no member of all objects is one", () => {
    const policies = { Ssn: hidden, "ssn[]": plain };
    expect(policyOf(policies, "Ssn")).toBe(hidden);
    expect(policyOf(policies, "ssn[]")).toBe(plain);
    expect(policyOf(policies, "SSN")).toBe(plain);
    expect(policyOf({ Ssn: hidden }, " ssn[0]")).toBe(hidden);
    expect(policyOf({ Ssn: hidden }, "name")).toBeNull();
    expect(policyOf({}, "constructor")).toBeNull();
    expect(policyOf({ a: undefined as never }, "a")).toBeNull();
  });

  it("parts what is kept as it came from the rest", () => {
    const fields = [{ key: "ssn" }, { key: "name" }, { key: "open" }];
    const policies = { ssn: hidden, open: { ...plain, email: "omit" as const } };
    expect(fields.map(({ key }) => isProtected(policies, key))).toEqual([true, false, false]);
    expect(protectedOf(policies, fields)).toEqual([{ key: "ssn" }]);
    expect(unprotected(policies, fields)).toEqual([{ key: "name" }, { key: "open" }]);
    expect(unprotected({}, fields)).toBe(fields);
    expect(protectedOf({}, fields)).toEqual([]);
  });

  it.each([
    ["", ""],
    ["abc", "••••"],
    ["abcd", "••••d"],
    ["abcdefgh", "••••gh"],
    ["abcdefghijklmnop", "••••mnop"],
    ["a".repeat(100_000), "••••aaaa"],
    ["👩‍🚀👩‍🚀", "••••🚀"],
  ])("masks %j as %j", (value, shown) => expect(masked(value)).toBe(shown));
});

describe("a text beside the fields", () => {
  const found = (values: string[], text: string) =>
    leakFinder(values.map((value) => ({ key: "a", value })))?.(text) ?? null;

  it.each([
    [["secret"], "my SECRET!", true],
    [[" Secret "], "secret", true],
    [["two words"], "https://x.example/?a=two+words", true],
    [["two words"], "https://x.example/?a=100%&b=two%20words", true],
    [["über"], "?a=%C3%9Cber", true],
    [["secret"], "sec ret", false],
    [["abc"], "xabcx", true],
    [["42"], "?pin=42&a=1", true],
    [["42"], "1427", false],
    [["a "], "an a b", true],
    [["::"], " :: ", true],
    [["::"], "%3A%3A", true],
    [["::"], "a :: b", false],
    [["", " ", "first", "2"], "the first", true],
    [["first", "2"], "number 2", true],
    [["first", "2"], "number 3", false],
    [["42", "9"], "pin 42", true],
    [["first"], "2", false],
    [["", " "], "anything", null],
    [[], "anything", null],
  ])("with the values %j is %j: %s", (values, text, is) => expect(found(values, text)).toBe(is));

  it("may hold what the form keeps as it came", () => {
    const fields = [
      { key: "ssn", value: "123-45" },
      { key: "name", value: "Ann" },
    ];
    expect(leaksValue({ ssn: hidden }, fields)?.("Ann")).toBe(false);
    expect(leaksValue({ ssn: hidden }, fields)?.("123-45")).toBe(true);
    expect(leaksValue({ name: plain }, fields)).toBeNull();
  });
});
