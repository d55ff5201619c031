import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEmail } from "../../../../src/lib/email.ts";
import { harness } from "../../../_support/backend.ts";

const atom = fc.string({
  unit: fc.constantFrom(..."!#$%&'*+/=?^_`{|}~-aZ09éßıİ漢ж".split("")),
  minLength: 1,
  maxLength: 12,
});
const local = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join("."));
const label = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aZ9-".split("")), minLength: 1, maxLength: 10 }),
  fc.constantFrom("my-company", "xn--mnchen-3ya", "xn--80ak6aa92e", "münchen", "例え", "exam\u00adple", "ＡＢ"),
);
const top = fc.constantFrom("com", "co.uk", "xn--p1ai", "рф", "museum");
const dot = fc.constantFrom(".", "。");
/** Every kind of address that the rule for addresses takes. */
const address = fc
  .tuple(local, fc.array(label, { minLength: 1, maxLength: 3 }), dot, top)
  .map(([name, labels, between, last]) => `${name}@${[...labels, last].join(between)}`)
  .filter(isEmail);

describe("the data of a person", () => {
  it.each(["ann@my-company.com", "ann-marie@example.com", "ann@xn--mnchen-3ya.de", "-@a-b.com", "a/b+c{d}|e^$@x-y.io"])(
    "of %s is exported and erased",
    async (email) => {
      expect(isEmail(email)).toBe(true);
      await exportedAndErased(email);
    },
  );

  it("is exported and erased for every address that the rule for addresses takes", async () => {
    await fc.assert(fc.asyncProperty(address, exportedAndErased), { numRuns: 100 });
  }, 120_000);

  async function exportedAndErased(email: string): Promise<void> {
    const b = harness();
    const { id: form } = await b.forms.create({ name: "A" });
    const { id } = await b.submit(form, { fields: { text: `from <${email}>, please answer` } });
    const { id: stays } = await b.submit(form, { fields: { email: `else${email}` } });
    const found = await b.call("POST", "/v1/data-subjects/export", { body: { email } });
    expect([found.status, found.json.data.map((one: { id: string }) => one.id)], email).toEqual([200, [id]]);
    const erased = await b.call("POST", "/v1/data-subjects/erase", { body: { email } });
    expect([erased.status, erased.json.erased.submissions], email).toEqual([200, 1]);
    expect((await b.submissions.list(form)).data.map((one) => one.id)).toEqual([stays]);
  }
});
