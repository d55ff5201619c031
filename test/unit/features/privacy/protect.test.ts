import { expect, it } from "vitest";
import { protectFields, readableFields } from "../../../../src/features/privacy/protect.ts";
import type { SubmissionField } from "../../../../src/model/submission-field.ts";
import { inside } from "../../../_support/inside.ts";
import { encryption, listed, noCore } from "../../../_support/privacy.ts";

async function formOf(fields: Record<string, object>) {
  const { b, core } = await inside({ encryption });
  const { id } = await b.forms.create({ name: "A", settings: { fields } });
  return { b, core, form: (await core.rows.get("forms", id)) ?? expect.fail("no form") };
}

const all = {
  seal: { store: "encrypt" },
  hash: { store: "hash" },
  drop: { store: "drop" },
  open: { store: "plain", email: "mask" },
};

it("leaves a post alone of which no field is protected", async () => {
  const { form } = await formOf(all);
  expect(protectFields(noCore, form, "s", listed({ name: "Ann", open: "x" }))).toBeNull();
  expect(protectFields(noCore, (await formOf({})).form, "s", listed({ seal: "x" }))).toBeNull();
});

it("drops, hashes and seals what the policies say, each at its place among the fields that are left", async () => {
  const { core, form } = await formOf(all);
  const posted = listed({ drop: "gone", name: "Ann", hash: "9", open: "x", seal: "123-45" });
  const { fields, clear, protected: kept } = (await protectFields(core, form, "s", posted)) ?? expect.fail("none");
  const hashed = kept?.values[0]?.hash ?? "";
  expect(hashed).toMatch(/^[0-9a-f]{64}$/);
  expect(fields).toEqual(listed({ name: "Ann", hash: "", open: "x", seal: "" }));
  expect(clear).toEqual(listed({ name: "Ann", hash: hashed, open: "x", seal: "123-45" }));
  expect(kept).toEqual({
    data_key: expect.stringMatching(/^dk_/),
    values: [
      { at: 1, hash: hashed },
      { at: 3, sealed: expect.stringMatching(/^[\w-]{40,}$/) },
    ],
  });
});

it("keeps an empty value as it is, and says nothing of protected values where there are none", async () => {
  const { form } = await formOf(all);
  const posted = listed({ seal: "", hash: "", drop: "" });
  expect(await protectFields(noCore, form, "s", posted)).toEqual({
    fields: listed({ seal: "", hash: "" }),
    clear: listed({ seal: "", hash: "" }),
  });
});

it("needs no data key for hashes, which are the same for the same value and form only", async () => {
  const [one, two] = [await formOf(all), await formOf(all)];
  const hashes = async ({ core, form }: typeof one, posted: SubmissionField[]) => {
    const { protected: kept } = (await protectFields(core, form, "s", posted)) ?? expect.fail("none");
    expect(kept?.data_key).toBe("");
    return kept?.values.map(({ hash }) => hash) ?? [];
  };
  const [first, again, other] = await hashes(one, [
    { key: "hash", value: "9" },
    { key: "hash[]", value: "9" },
    { key: "HASH", value: "8" },
  ]);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect((await hashes(two, listed({ hash: "9" })))[0]).not.toBe(first);
});

it("reads a post that is not to be stored as those read it who may read the form's submissions", async () => {
  const { core, form } = await formOf(all);
  const posted = listed({ drop: "gone", name: "Ann", hash: "9", open: "x", seal: "123-45" });
  const { clear } = (await protectFields(core, form, "s", posted)) ?? expect.fail("none");
  expect(readableFields(core, form, posted)).toEqual(clear);
  expect(readableFields(core, form, listed({ hash: "", seal: "" }))).toEqual(listed({ hash: "", seal: "" }));
  expect(readableFields(core, (await formOf({})).form, posted)).toEqual(posted);
});
