import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

async function world() {
  const b = harness({ rateLimit: false });
  const form = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com", "second@example.com"] },
    auto_response: { enabled: true },
  });
  return {
    b,
    form,
    post: (email: string) => b.submit(form.id, { fields: { email, text: "Hello" } }),
    codes: async () =>
      (await b.emails.list(form.id)).data.map(({ to, status, code }) => `${to} ${status} ${code}`).sort(),
  };
}

describe("a suppressed address", () => {
  it("gets no mail of any form, in any spelling, and the form's list of emails says so", async () => {
    const { b, codes, post } = await world();
    await b.suppressions.add({ email: "Owner@EXAMPLE.com" });
    await b.suppressions.add({ email: "ann@bücher.example" });
    await post("ann@xn--bcher-kva.example");
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["second@example.com"]);
    expect(await codes()).toEqual([
      "ann@xn--bcher-kva.example skipped ERROR_EMAIL_SUPPRESSED",
      "owner@example.com skipped ERROR_EMAIL_SUPPRESSED",
      "second@example.com succeeded SUCCESS",
    ]);
  });

  it("is found in whichever team it is, however short the page", async () => {
    const { b } = await world();
    for (const id of ["a", "b", "c"])
      await b.teams.create({ id, name: id, owner: { email: `o@${id}.test` }, plan: "unlimited" });
    for (const team_id of ["a", "b", "c"]) {
      const email = `${team_id}@example.com`;
      await b.suppressions.add({ email, team_id });
      expect((await b.suppressions.list({ email, limit: 1 })).data.map((one) => one.email)).toEqual([email]);
    }
  });

  it("gets mail again once it is off the list", async () => {
    const { b, form, post } = await world();
    await b.suppressions.add({ email: "owner@example.com" });
    await post("ann@example.com");
    await b.tick();
    const { data } = await b.emails.list(form.id, { status: "skipped" });
    expect(await b.suppressions.remove("OWNER@example.com")).toEqual({ email: "owner@example.com", deleted: true });
    await b.emails.resend(form.id, data[0]?.id ?? "");
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toContain("owner@example.com");
    await expect(b.suppressions.remove("owner@example.com")).rejects.toMatchObject({ code: "not_found" });
  });

  it("is left out of a message to several, which the others get", async () => {
    const { b, form } = await world();
    await b.forms.update(form.id, {
      settings: {
        routing: {
          rules: [],
          otherwise: { recipients: ["owner@example.com"], cc: ["second@example.com"], bcc: [] },
        },
      },
    } as never);
    await b.suppressions.add({ email: "owner@example.com" });
    await b.submit(form.id, { fields: { text: "Hello" } });
    await b.tick();
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["second@example.com"]);
    const jobs = await b.jobs.list({ form_id: form.id, kind: "owner_email" });
    expect(jobs.map(({ code }) => code).sort()).toEqual(["ERROR_EMAIL_SUPPRESSED", "SUCCESS"]);
  });
});

describe("/v1/suppressions", () => {
  it("lists, adds and removes, with the name of the key as the source", async () => {
    const { b } = await world();
    const added = await b.call("POST", "/v1/suppressions", { body: { email: "ann@example.com" } });
    expect([added.status, added.json]).toEqual([
      201,
      { email: "ann@example.com", reason: "manual", source: "test", created_at: "2026-01-01T00:00:00.000Z" },
    ]);
    await b.clock.advance(1_000);
    await b.call("POST", "/v1/suppressions", { body: { email: "bob@example.com" } });
    const first = (await b.call("GET", "/v1/suppressions?limit=1")).json;
    expect(first).toMatchObject({ data: [{ email: "bob@example.com" }], has_more: true });
    const second = (await b.call("GET", `/v1/suppressions?limit=1&cursor=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ data: [{ email: "ann@example.com" }], has_more: false, next_cursor: null });
    expect((await b.call("GET", "/v1/suppressions?email=ANN@example.com")).json.data).toHaveLength(1);
    expect((await b.call("GET", "/v1/suppressions?email=nobody@example.com")).json.data).toEqual([]);
    expect((await b.call("DELETE", "/v1/suppressions/ann%40example.com")).json).toEqual({
      email: "ann@example.com",
      deleted: true,
    });
    expect((await b.call("DELETE", "/v1/suppressions/ann%40example.com")).status).toBe(404);
    expect((await b.call("POST", "/v1/suppressions", { body: { email: "nonsense" } })).json.error).toMatchObject({
      code: "invalid_parameter",
      param: "email",
    });
  });

  it("keeps teams apart, and refuses keys of some forms and keys that may not write", async () => {
    const { b, form } = await world();
    await b.teams.create({ id: "other", name: "Other" });
    const theirs = await b.keyWith(["forms:read", "forms:write"], { team_id: "other" });
    await b.call("POST", "/v1/suppressions", { key: theirs, body: { email: "ann@example.com" } });
    expect((await b.call("GET", "/v1/suppressions")).json.data).toEqual([]);
    expect((await b.call("DELETE", "/v1/suppressions/ann@example.com")).status).toBe(404);
    expect((await b.suppressions.list({ team_id: "other" })).data).toHaveLength(1);
    await b.submit(form.id, { fields: { email: "ann@example.com" } });
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toContain("ann@example.com");
    const ofOne = await b.keyWith("all", { form_ids: [form.id] });
    expect((await b.call("GET", "/v1/suppressions", { key: ofOne })).json.error.code).toBe("form_access_restricted");
    const reads = await b.keyWith(["forms:read"]);
    const refused = await b.call("POST", "/v1/suppressions", { key: reads, body: { email: "ann@example.com" } });
    expect(refused.json.error.code).toBe("insufficient_scope");
  });
});
