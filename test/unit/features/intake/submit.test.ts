import { expect, it } from "vitest";
import { ApiError } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const content = Buffer.from("x");

it.each([
  [undefined, undefined],
  ["a=1", undefined],
  [{}, "fields"],
  [{ fields: null }, "fields"],
  [{ fields: "a=1" }, "fields"],
  [{ fields: { a: 1 } }, "fields.a"],
  [{ fields: { a: ["x", null] } }, "fields.a"],
  [{ fields: { a: { b: "x" } } }, "fields.a"],
  [{ fields: JSON.parse('{ "__proto__": 1 }') }, "fields.__proto__"],
  [{ fields: [{ value: "x" }] }, "fields.0.key"],
  [{ fields: [{ key: "a", value: "x" }, { key: "b" }] }, "fields.1.value"],
  [{ fields: [null] }, "fields.0.key"],
  [{ fields: { a: "x" }, files: {} }, "files"],
  [{ fields: { a: "x" }, files: [{ name: "a.txt", content }] }, "files.0.key"],
  [{ fields: { a: "x" }, files: [{ key: "a", name: 1, content }] }, "files.0.name"],
  [{ fields: { a: "x" }, files: [{ key: "a", name: "a.txt" }] }, "files.0.content"],
  [{ fields: { a: "x" }, ip: 1 }, "ip"],
  [{ fields: { a: "x" }, idempotency_key: 1 }, "idempotency_key"],
  [{ fields: { a: "x" }, idempotencyKey: "k" }, "idempotencyKey"],
])("submit refuses %j with `invalid_parameter`, param %s", async (input, param) => {
  const b = harness();
  const { id } = await b.forms.create({ name: "A" });
  const error = await b.submit(id, input as never).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "invalid_parameter", status: 400, param });
  expect((await b.forms.get(id)).submissions.all_time).toBe(0);
});

it("submit takes a list of entries as it takes an object, whatever a field is called", async () => {
  const b = harness();
  const { id } = await b.forms.create({ name: "A" });
  const fields = [
    { key: "a", value: "1" },
    { key: "a", value: "2" },
    { key: "__proto__", value: "3" },
  ];
  expect((await b.submit(id, { fields })).fields).toEqual(fields);
  const object: Record<string, string | string[]> = JSON.parse('{ "a": ["1", "2"], "__proto__": "3" }');
  expect((await b.submit(id, { fields: object })).fields).toEqual(fields);
  const empty = { ip: null, user_agent: null, referer: null, idempotency_key: "" };
  for (let i = 0; i < 2; i++) await b.submit(id, { fields, ...empty });
  expect((await b.forms.get(id)).submissions.all_time).toBe(4);
});
