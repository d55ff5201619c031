import { expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

it("the host gets the values by name, a list where a name came more than once", async () => {
  const b = harness();
  const form = await b.forms.create({ name: "A" });
  const fields = [
    { key: "name", value: "Ann" },
    { key: "tag", value: "a" },
    { key: "tag", value: "b" },
    { key: "__proto__", value: "x" },
  ];
  const sent = await b.submit(form.id, { fields });
  const wanted = { name: "Ann", tag: ["a", "b"], ["__proto__"]: "x" };
  const [listed] = (await b.submissions.list(form.id)).data;
  for (const { values } of [sent, listed, await b.submissions.get(form.id, sent.id)] as (typeof sent)[]) {
    expect(values).toEqual(wanted);
    expect(Object.keys(values)).toContain("__proto__");
  }
});

it("the HTTP answer keeps its shape", async () => {
  const b = harness();
  const form = await b.forms.create({ name: "A" });
  const { id } = await b.submit(form.id, { fields: { name: "Ann" } });
  const { json } = await b.call("GET", `/v1/forms/${form.id}/submissions/${id}`);
  expect([json.values, json.fields]).toEqual([undefined, [{ key: "name", value: "Ann" }]]);
});
