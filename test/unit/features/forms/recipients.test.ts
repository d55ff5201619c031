import { describe, expect, it } from "vitest";
import { type Harness, harness } from "../../../_support/backend.ts";

const path = (id: string, email?: string) =>
  `/v1/forms/${id}/self-email-notification/recipients${email === undefined ? "" : `/${encodeURIComponent(email)}`}`;
const add = (b: Harness, id: string, email: unknown) => b.call("POST", path(id), { body: { email } });
const form = (b: Harness, recipients: string[] = [], team_id = "default") =>
  b.forms.create({ name: "A", self_email_notification: { recipients } }, { team_id });

describe("adding a recipient", () => {
  it("answers the list in the order of addition, and the form has it", async () => {
    const b = harness();
    const { id } = await form(b, ["z@example.com"]);
    expect((await add(b, id, "a@example.com")).json).toEqual({ data: ["z@example.com", "a@example.com"] });
    const { status, json } = await add(b, id, "m@example.com");
    expect([status, json]).toEqual([200, { data: ["z@example.com", "a@example.com", "m@example.com"] }]);
    expect((await b.forms.get(id)).self_email_notification.recipients).toEqual(json.data);
  });

  it("changes nothing where the address is on the list, in whatever case", async () => {
    const b = harness();
    const updates: unknown[] = [];
    b.on("form.updated", (event) => updates.push(event));
    const { id } = await form(b, ["Ann@Example.com"]);
    expect((await add(b, id, "ann@EXAMPLE.com")).json).toEqual({ data: ["Ann@Example.com"] });
    expect(updates).toEqual([]);
    await add(b, id, "bob@example.com");
    expect(updates).toMatchObject([
      { id, self_email_notification: { recipients: ["Ann@Example.com", "bob@example.com"] } },
    ]);
  });

  it.each([
    [{}, "email"],
    [{ email: "" }, "email"],
    [{ email: "not an address" }, "email"],
    [{ email: "a@b.example, c@d.example" }, "email"],
    [{ email: "Ann <a@b.example>" }, "email"],
    [{ email: null }, "email"],
    [{ email: ["a@b.example"] }, "email"],
    [{ email: `${"x".repeat(250)}@example.com` }, "email"],
    [{ email: "a@b.example", name: "Ann" }, "name"],
  ])("refuses %j by the name of the field", async (body, param) => {
    const b = harness();
    const { id } = await form(b);
    const { status, json } = await b.call("POST", path(id), { body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect((await b.forms.get(id)).self_email_notification.recipients).toEqual([]);
  });

  it("takes a 50th address and refuses a 51st, but not one that is there", async () => {
    const b = harness();
    const { id } = await form(
      b,
      Array.from({ length: 49 }, (_, i) => `r${i}@example.com`),
    );
    expect((await add(b, id, "r49@example.com")).status).toBe(200);
    const { status, json } = await add(b, id, "r50@example.com");
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "email"]);
    expect((await add(b, id, "R7@example.com")).json.data).toHaveLength(50);
  });

  it("is held to the plan: the free one has one address", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", plan: "free" });
    const { id } = await form(b, [], "acme");
    await b.forms.addRecipient(id, "one@example.com");
    const refusal = { status: 403, code: "plan_restricted", param: "self_email_notification.recipients" };
    await expect(b.forms.addRecipient(id, "two@example.com")).rejects.toMatchObject(refusal);
    expect(await b.forms.addRecipient(id, "ONE@example.com")).toEqual({ data: ["one@example.com"] });
    const key = await b.keyWith("all", { team_id: "acme" });
    const over = await b.call("POST", path(id), { key, body: { email: "two@example.com" } });
    expect([over.status, over.json.error.code, over.json.error.param]).toEqual([403, "plan_restricted", refusal.param]);
  });

  it("40 at once all survive", async () => {
    const b = harness();
    const { id } = await form(b);
    const emails = Array.from({ length: 40 }, (_, i) => `r${i}@example.com`);
    const answers = await Promise.all(emails.map((email) => add(b, id, email)));
    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200));
    expect([...(await b.forms.get(id)).self_email_notification.recipients].sort()).toEqual([...emails].sort());
  });

  it("of a form that is not there is 404", async () => {
    expect((await add(harness(), "none", "a@example.com")).json.error.code).toBe("form_not_found");
  });
});

describe("removing a recipient", () => {
  const odd = ["a+b@example.com", "a/b@example.com", "a%2Bb@example.com", "ü@example.com", "o'x#?&=@example.com"];

  it.each(odd)("finds %s in the path when it is percent-encoded", async (email) => {
    const b = harness();
    const { id } = await form(b, ["keep@example.com", email]);
    const { status, json } = await b.call("DELETE", path(id, email));
    expect([status, json]).toEqual([200, { data: ["keep@example.com"] }]);
    expect((await b.forms.get(id)).self_email_notification.recipients).toEqual(["keep@example.com"]);
  });

  it("takes a bare plus for a plus, and any case", async () => {
    const b = harness();
    const { id } = await form(b, ["a+b@example.com", "Zoe@example.com"]);
    expect((await b.call("DELETE", `${path(id)}/a+b@example.com`)).json).toEqual({ data: ["Zoe@example.com"] });
    expect((await b.call("DELETE", path(id, "zoe@EXAMPLE.COM"))).json).toEqual({ data: [] });
  });

  it("is 404 recipient_not_found for an address that is not there", async () => {
    const b = harness();
    const { id } = await form(b, ["a@example.com"]);
    const { status, json } = await b.call("DELETE", path(id, "b@example.com"));
    expect([status, json.error.code]).toEqual([404, "recipient_not_found"]);
    await expect(b.forms.removeRecipient(id, "b@example.com")).rejects.toMatchObject({ code: "recipient_not_found" });
  });

  it.each(["nobody", "a b@example.com", "@", "%00"])("is 400 on email for %s, which is none", async (email) => {
    const b = harness();
    const { id } = await form(b);
    const { status, json } = await b.call("DELETE", path(id, email));
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "email"]);
    await expect(b.forms.removeRecipient(id, email)).rejects.toMatchObject({ param: "email" });
  });

  it.each(["100%", "%E0%A4%A", "nobody%zz"])("is 400 on email for the badly encoded %s", async (raw) => {
    const b = harness();
    const { id } = await form(b);
    const { status, json } = await b.call("DELETE", `${path(id)}/${raw}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "email"]);
  });

  it("of a form that is not there is 404 whatever the address", async () => {
    const b = harness();
    for (const email of ["a@example.com", "nobody"]) {
      expect((await b.call("DELETE", path("none", email))).json.error.code).toBe("form_not_found");
    }
  });

  it("and adding at once lose nothing", async () => {
    const b = harness();
    const start = Array.from({ length: 10 }, (_, i) => `old${i}@example.com`);
    const { id } = await form(b, start);
    await Promise.all([
      ...start.map((email) => b.forms.removeRecipient(id, email)),
      ...start.map((_, i) => b.forms.addRecipient(id, `new${i}@example.com`)),
      b.forms.update(id, { name: "B" }),
    ]);
    const { name, self_email_notification } = await b.forms.get(id);
    expect([name, [...self_email_notification.recipients].sort()]).toEqual([
      "B",
      start.map((_, i) => `new${i}@example.com`),
    ]);
  });
});
