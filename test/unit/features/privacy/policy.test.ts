import { describe, expect, it } from "vitest";
import { masked } from "../../../../src/model/field-policy.ts";
import { harness } from "../../../_support/backend.ts";
import { encryption, SSN } from "../../../_support/privacy.ts";

const settings = (id: string) => `/v1/forms/${id}/settings`;
const OMITTED = { email: "omit", webhook: "omit", export: "omit", agents: "omit" };
const SHOWN = { email: "show", webhook: "show", export: "show", agents: "show" };

async function world(options: object = { encryption }) {
  const b = harness(options);
  const { id } = await b.forms.create({ name: "A" });
  const patch = (fields: unknown) => b.call("PATCH", settings(id), { body: { fields } });
  const get = async () => (await b.call("GET", settings(id))).json.fields;
  return { b, id, patch, get };
}

describe("a field's policy", () => {
  it("shows what is stored plainly and omits the rest, unless something else is said", async () => {
    const { patch, get } = await world();
    const { status } = await patch({
      a: { store: "encrypt" },
      b: { store: "hash", email: "mask" },
      c: { store: "drop" },
      d: { email: "omit" },
      e: {},
    });
    expect(status).toBe(200);
    expect(await get()).toEqual({
      a: { store: "encrypt", ...OMITTED },
      b: { store: "hash", ...OMITTED, email: "mask" },
      c: { store: "drop", ...OMITTED },
      d: { store: "plain", ...SHOWN, email: "omit" },
      e: { store: "plain", ...SHOWN },
    });
  });

  it("is changed member by member, goes back to the defaults of a new way to store, and away with null", async () => {
    const { patch, get } = await world();
    await patch({ a: { store: "encrypt" }, b: { email: "mask" } });
    await patch({ a: { export: "show" } });
    expect(await get()).toEqual({
      a: { store: "encrypt", ...OMITTED, export: "show" },
      b: { store: "plain", ...SHOWN, email: "mask" },
    });
    await patch({ b: { store: "encrypt" }, a: null });
    expect(await get()).toEqual({ b: { store: "encrypt", ...OMITTED } });
  });

  it("is refused where a member or a value is unknown, with its path", async () => {
    const { b, id, patch } = await world();
    for (const [fields, param] of [
      [{ a: { store: "rot13" } }, "fields.a.store"],
      [{ a: { email: "hide" } }, "fields.a.email"],
      [{ a: { inbox: "omit" } }, "fields.a.inbox"],
      [{ a: "encrypt" }, "fields.a"],
      // The schema would drop it in silence, and what it was to protect would be stored as it is.
      [JSON.parse('{"__proto__":{"store":"drop"}}'), "fields.__proto__"],
      [Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`f${i}`, {}])), "fields"],
    ] as const) {
      const { status, json } = await patch(fields);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    }
    await expect(b.forms.update(id, { settings: { fields: { a: { store: "x" as "hash" } } } })).rejects.toMatchObject({
      param: "settings.fields.a.store",
    });
  });

  it("can't encrypt without the option `encryption`, which the refusal names", async () => {
    const { b, id, patch, get } = await world({});
    const { status, json } = await patch({ a: { store: "hash" }, ssn: { store: "encrypt" } });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "fields.ssn.store"]);
    expect(json.error.message).toContain("`encryption`");
    expect(await get()).toEqual({});
    const created = b.forms.create({ name: "B", settings: { fields: { ssn: { store: "encrypt" } } } });
    await expect(created).rejects.toMatchObject({ code: "invalid_parameter", param: "settings.fields.ssn.store" });
    await b.forms.update(id, { settings: { fields: { ssn: { store: "hash" } } } });
    expect((await patch({ other: { email: "mask" } })).status).toBe(200);
  });

  it("needs a plan that includes it, but not to be switched off", async () => {
    const { b, id } = await world();
    const { key } = await b.keys.create({ name: "k", scopes: "all" });
    await patchAs({ ssn: { store: "encrypt" }, tel: { email: "mask" } });
    await b.teams.update("default", { plan: "free" });
    for (const fields of [{ a: { store: "drop" } }, { a: { webhook: "omit" } }]) {
      const { status, json } = await patchAs(fields);
      expect([status, json.error.code, json.error.param]).toEqual([403, "plan_restricted", "fields"]);
    }
    const off = { ssn: { store: "plain" }, tel: null, b: { store: "plain", ...SHOWN } };
    expect((await patchAs(off)).json.fields).toEqual({
      ssn: { store: "plain", ...SHOWN },
      b: { store: "plain", ...SHOWN },
    });

    function patchAs(fields: unknown) {
      return b.call("PATCH", settings(id), { body: { fields }, key });
    }
  });

  it("masks all but the end of a value, and all of a short one", () => {
    expect(["", "1234", "12345678", "4111111111111111", SSN, "👍".repeat(16)].map(masked)).toEqual([
      "",
      "••••4",
      "••••78",
      "••••1111",
      "••••-zq",
      "••••👍👍👍👍",
    ]);
  });
});

describe("the option `encryption`", () => {
  it("says what is wrong with it", () => {
    const key = Buffer.alloc(32).toString("base64");
    const refused = (value: object): string => {
      try {
        harness({ encryption: value as never });
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ keys: [] })).toContain("`encryption.keys`: must have at least one key");
    expect(refused({ keys: [{ id: "a", key: "short" }] })).toContain(
      "`encryption.keys.0.key`: must be 32 bytes in base64",
    );
    const twice = [key, key].map((one) => ({ id: "a", key: one }));
    expect(refused({ keys: twice })).toContain("must not have two keys with the same id");
    expect(refused({ wrap: async () => new Uint8Array() })).toContain("or { wrap, unwrap }");
    expect(refused({ key })).toContain("`encryption.key`: is not an option");
    expect(refused({ keys: [{ id: "a", key }] })).toBe("");
  });
});
