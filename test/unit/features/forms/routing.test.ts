import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const [ann, bob] = ["ann@example.com", "bob@example.com"];

async function world(options: object = {}) {
  const b = harness({ rateLimit: false, plans: { unlimited: { webhooks_per_form: 5 } }, ...options });
  const { id } = await b.forms.create({ name: "F", self_email_notification: { recipients: [ann, bob] } });
  const path = `/v1/forms/${id}/settings`;
  return {
    b,
    id,
    patch: (routing: unknown) => b.call("PATCH", path, { body: { routing } }),
    get: async () => (await b.call("GET", path)).json.routing,
  };
}

const rule = (to: object, condition: object = { field: "a", type: "equals", value: "1" }) => ({
  if: { all: [condition] },
  to,
});

describe("the routing of a form", () => {
  it("reads back what was written, with its defaults, and replaces rules and otherwise as a whole", async () => {
    const { patch, get } = await world();
    await patch({ rules: [rule({ recipients: [ann] })], otherwise: { recipients: [bob], subject: "S" } });
    const rules = [
      {
        if: { all: [{ field: "a", type: "equals", value: "1", negate: false }] },
        to: { recipients: [ann] },
        stop: false,
      },
    ];
    expect(await get()).toEqual({ rules, otherwise: { recipients: [bob], subject: "S" } });
    await patch({ otherwise: { cc: [ann] } });
    expect(await get()).toEqual({ rules, otherwise: { cc: [ann] } });
    await patch({ rules: [], otherwise: null });
    expect(await get()).toEqual({ rules: [], otherwise: null });
  });

  it("refuses an address that is no recipient, and a webhook that is not the form's, with their paths", async () => {
    const { b, id, patch } = await world();
    expect((await patch({ rules: [rule({}), rule({ cc: [ann, "eve@example.com"] })] })).json.error).toMatchObject({
      code: "invalid_parameter",
      param: "routing.rules.1.to.cc.1",
      message: expect.stringContaining("eve@example.com, which is not among the form's recipients"),
    });
    expect((await patch({ otherwise: { webhooks: ["whk_none"] } })).json.error).toMatchObject({
      param: "routing.otherwise.webhooks.0",
    });
    await expect(
      b.forms.update(id, { settings: { routing: { otherwise: { recipients: ["eve@example.com"] } } } }),
    ).rejects.toMatchObject({ param: "settings.routing.otherwise.recipients.0" });
    expect((await patch({ otherwise: { recipients: ["ANN@Example.com"] } })).status).toBe(200);
  });

  it("keeps a recipient that a rule names, however it is removed", async () => {
    const { b, id, patch } = await world();
    await patch({ rules: [rule({ bcc: [bob] })] });
    const refusal = { code: "invalid_parameter", param: "settings.routing.rules.0.to.bcc.0" };
    const removed = await b.call("DELETE", `/v1/forms/${id}/self-email-notification/recipients/${bob}`);
    expect([removed.status, removed.json.error]).toEqual([400, expect.objectContaining(refusal)]);
    await expect(b.forms.update(id, { self_email_notification: { recipients: [ann] } })).rejects.toMatchObject(refusal);
    expect((await b.forms.get(id)).self_email_notification.recipients).toEqual([ann, bob]);
    await b.forms.update(id, {
      self_email_notification: { recipients: [ann] },
      settings: { routing: { rules: [] } },
    });
    expect((await b.forms.get(id)).self_email_notification.recipients).toEqual([ann]);
  });

  it("forgets a webhook that is deleted, and sends what named it alone to no other", async () => {
    const { b, id, patch, get } = await world();
    const [one, two] = [
      await b.webhooks.create(id, { url: "https://hooks.example.com/1" }),
      await b.webhooks.create(id, { url: "https://hooks.example.com/2" }),
    ];
    await patch({ rules: [rule({ webhooks: [one.id] })], otherwise: { webhooks: [one.id, two.id] } });
    await b.webhooks.delete(id, one.id);
    expect(await get()).toMatchObject({ rules: [{ to: { webhooks: [] } }], otherwise: { webhooks: [two.id] } });
    await b.post(id, { a: "1" });
    await b.tick();
    expect(b.webhookCalls).toHaveLength(0);
  });

  it("says of every wrong condition what is wrong with it", async () => {
    const { patch } = await world();
    const faultOf = async (condition: object) => {
      const { status, json } = await patch({ rules: [rule({}, condition)] });
      expect(status).toBe(400);
      return [json.error.param, json.error.message];
    };
    const at = "routing.rules.0.if.all.0";
    expect(await faultOf({ field: "a", type: "contains" })).toEqual([
      `${at}.value`,
      `\`${at}.value\` is required for this check.`,
    ]);
    expect(await faultOf({ field: "a", type: "exists", value: "x" })).toEqual([
      `${at}.value`,
      `\`${at}.value\` is not used by this check.`,
    ]);
    expect((await faultOf({ field: "a", type: "nearly", value: "x" }))[0]).toBe(`${at}.type`);
    expect((await faultOf({ field: "a", type: "min", value: "x" }))[1]).toContain("must be a number");
    expect((await faultOf({ field: "", type: "exists" }))[0]).toBe(`${at}.field`);
    expect((await faultOf({ field: "a", type: "pattern", value: "(" }))[0]).toBe(`${at}.value`);
    for (const wrong of [{}, { all: [], any: [] }]) {
      const { json } = await patch({ rules: [{ if: wrong, to: {} }] });
      expect(json.error).toMatchObject({ param: "routing.rules.0.if", message: expect.stringContaining("`any`") });
    }
    expect((await patch({ rules: [rule({ subject: "{{" })] })).json.error.param).toBe("routing.rules.0.to.subject");
    expect((await patch({ rules: Array(51).fill(rule({})) })).json.error.message).toContain("at most 50 entries");
    const many = { if: { any: Array(21).fill({ field: "a", type: "exists" }) }, to: {} };
    expect((await patch({ rules: [many] })).json.error.param).toBe("routing.rules.0.if.any");
  });

  it("takes a rule on a field that never comes and rules that contradict each other: they match nothing", async () => {
    const { b, id, patch } = await world();
    const both = [
      { field: "a", type: "equals", value: "1" },
      { field: "a", type: "equals", value: "1", negate: true },
    ];
    await patch({
      rules: [rule({ none: true }, { field: "nowhere", type: "exists" }), { if: { all: both }, to: { none: true } }],
    });
    const { json } = await b.call("POST", `/f/${id}?dry_run=1`, { body: { a: "1" } });
    expect(json.routed_to).toMatchObject({ rules: [], otherwise: false, recipients: [ann, bob] });
  });

  it("needs the plan to switch it on, and none to switch it off", async () => {
    const { b, patch } = await world();
    await b.teams.update("default", { plan: "free" });
    const refused = await patch({ rules: [rule({})] });
    expect([refused.status, refused.json.error]).toEqual([
      expect.any(Number),
      expect.objectContaining({ code: "plan_restricted", param: "routing" }),
    ]);
    expect((await patch({ rules: [], otherwise: null })).status).toBe(200);
  });
});
