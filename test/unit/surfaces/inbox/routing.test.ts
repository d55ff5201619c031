import { describe, expect, it } from "vitest";
import type { InboxUser } from "../../../../src/index.ts";
import { formOf } from "./_form.ts";
import { inboxHarness } from "./_inbox.ts";

const [ann, bob] = ["ann@example.com", "bob@example.com"];
const path = "settings.routing.rules";

async function world(routing: object = {}) {
  const backend = inboxHarness({}, { rateLimit: false });
  const { id } = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: [ann, bob] },
    settings: { routing },
  });
  const at = `/f/${id}/settings/routing`;
  const visitor = backend.as({});
  return { backend, id, at, visitor, page: async () => formOf((await visitor.get(at)).text, at) };
}

it("takes a rule from the page of a form's settings, moves it and removes it", async () => {
  const { backend, id, at, visitor, page } = await world();
  const routing = async () => (await backend.forms.get(id)).settings.routing;
  const add = async (number: number, field: string, to: object) => {
    const rule = `${path}.${number}`;
    const body = { ...(await page()), [`${rule}.if.0.field`]: field, [`${rule}.if.0.value`]: "1", ...to };
    expect((await visitor.post(at, body)).status).toBe(303);
  };
  await add(0, "a", { [`${path}.0.to.who.1.as`]: "recipients", [`${path}.0.stop`]: "on" });
  await add(1, "b", { [`${path}.1.to.who.0.as`]: "cc", [`${path}.1.to.subject`]: "B" });
  const [one, two] = [
    {
      if: { all: [{ field: "a", type: "equals", value: "1", negate: false }] },
      to: { recipients: [bob] },
      stop: true,
    },
    {
      if: { all: [{ field: "b", type: "equals", value: "1", negate: false }] },
      to: { cc: [ann], subject: "B" },
      stop: false,
    },
  ];
  expect(await routing()).toEqual({ rules: [one, two], otherwise: null });
  expect((await visitor.post(at, { ...(await page()), [`${path}.0.place`]: "3" })).status).toBe(303);
  expect((await routing()).rules).toEqual([two, one]);
  const cleared = { ...(await page()), [`${path}.0.if.0.field`]: "" };
  await visitor.post(at, { ...cleared, "settings.routing.otherwise.chosen": "on" });
  expect(await routing()).toEqual({ rules: [one], otherwise: {} });
});

it("says beside the rules what is wrong with one, and keeps what was typed", async () => {
  const { backend, id, at, visitor, page } = await world();
  const rule = { [`${path}.0.if.0.field`]: "a", [`${path}.0.if.0.type`]: "min", [`${path}.0.if.0.value`]: "many" };
  const answer = await visitor.post(at, { ...(await page()), ...rule });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("Must be a number");
  expect(answer.text).toContain('value="many"');
  expect((await backend.forms.get(id)).settings.routing.rules).toEqual([]);
});

it("shows with a submission the rule that matched, and the addresses it chose", async () => {
  const condition = { field: "topic", type: "equals", value: "sales" };
  const { backend, id, visitor } = await world({
    rules: [
      { if: { all: [condition] }, to: { recipients: [ann], cc: [bob] } },
      { if: { any: [{ ...condition, value: "spam" }] }, to: { none: true } },
    ],
  });
  const shown = async (topic: string) => {
    const submission = await backend.submit(id, { fields: { topic } });
    await backend.tick();
    return (await visitor.get(`/f/${id}/s/${submission.id}?tab=delivery`)).text;
  };
  const sales = await shown("sales");
  expect(sales).toContain("Rule 1 matched.");
  expect(sales).toContain(`To: ${ann}`);
  expect(sales).toContain(`Cc: ${bob}`);
  expect(await shown("spam")).toContain("It was sent to nobody.");
  expect(await shown("other")).toContain("No rule matched, so it went everywhere.");
});

it("makes a rule from a submission: by a choice, otherwise by the sender's domain, and from nothing else", async () => {
  const { backend, id, at, visitor } = await world();
  const post = async (fields: Record<string, string>) => (await backend.submit(id, { fields })).id;
  const page = async (submission: string) => {
    const seen = (await visitor.get(`/f/${id}/s/${submission}`)).text;
    const [, query] = /href="[^"]*\/settings\/routing(\?from=[^"]*)"/.exec(seen) ?? [];
    return query === undefined ? null : formOf((await visitor.get(`${at}${query}`)).text, at);
  };
  const conditionOf = (values: Record<string, string> | null) =>
    ["field", "type", "value"].map((name) => values?.[`${path}.0.if.0.${name}`]);
  const choice = await post({ name: "Ann", email: "ann@school.example", urgency: "High", message: "Please call." });
  expect(conditionOf(await page(choice))).toEqual(["urgency", "equals", "High"]);
  const mail = await post({ name: "Ann", email: "ann@School.example", message: "Please call." });
  expect(conditionOf(await page(mail))).toEqual(["email", "contains", "@School.example"]);
  expect(await page(await post({ name: "Ann", message: "Please call." }))).toBeNull();
  const hostile = await post({ '"><b>': "<script>" });
  expect(conditionOf(await page(hostile))).toEqual(['"><b>', "equals", "<script>"]);
  // Saved as it is shown, with nothing else that the person has not chosen.
  const body = (await page(choice)) ?? {};
  expect((await visitor.post(at, { ...body, [`${path}.0.to.who.1.as`]: "recipients" })).status).toBe(303);
  expect((await backend.forms.get(id)).settings.routing.rules).toEqual([
    {
      if: { all: [{ field: "urgency", type: "equals", value: "High", negate: false }] },
      to: { recipients: [bob] },
      stop: false,
    },
  ]);
  // A submission that is gone, or of another form, makes none.
  for (const from of ["nothing", "%22%3E"]) {
    expect(formOf((await visitor.get(`${at}?from=${from}`)).text, at)[`${path}.1.if.0.field`]).toBe("");
  }
  const agent = backend.as({ role: "agent" });
  expect((await agent.get(`/f/${id}/s/${choice}`)).text).not.toContain("settings/routing");
});

describe("a rule from a submission, for an agent whom the host lets", () => {
  const rules: Partial<InboxUser> = { id: "bo", role: "agent", can: ["rules"] };
  const rule = (values: Record<string, string> = {}) => ({
    "rule.0.join": "all",
    "rule.0.if.0.field": "topic",
    "rule.0.if.0.type": "equals",
    "rule.0.if.0.value": "Sales",
    "rule.0.to.who.0.address": ann,
    "rule.0.to.who.0.as": "recipients",
    ...values,
  });

  it("is made on a page of its own, after those of the form, and changes nothing else", async () => {
    const first = { if: { all: [{ field: "a", type: "exists", value: "", negate: false }] }, to: {}, stop: false };
    const { backend, id } = await world({ rules: [first], otherwise: { none: true } });
    const { id: submission } = await backend.submit(id, { fields: { topic: "Sales", email: "cy@example.com" } });
    const here = `/f/${id}/s/${submission}`;
    expect((await backend.as({ role: "agent" }).get(here)).text).not.toContain("Make a rule");
    expect((await backend.as({ role: "agent" }).get(`${here}/rule`)).status).toBe(403);
    expect((await backend.as({ role: "agent" }).post(`${here}/rule`, rule())).status).toBe(403);
    const agent = backend.as(rules);
    expect((await agent.get(here)).text).toContain(`${here}/rule"`);
    const values = formOf((await agent.get(`${here}/rule`)).text, `${here}/rule`);
    expect(values).toMatchObject({ "rule.0.if.0.field": "topic", "rule.0.if.0.value": "Sales" });
    const posted = await agent.post(`${here}/rule`, { ...values, "rule.0.to.who.1.as": "recipients" });
    expect([posted.status, posted.headers.get("location")?.endsWith(here)]).toEqual([303, true]);
    expect((await agent.get(here)).text).toContain("Rule added.");
    const { settings } = await backend.forms.get(id);
    expect(settings.routing).toEqual({
      rules: [
        first,
        {
          if: { all: [{ field: "topic", type: "equals", value: "Sales", negate: false }] },
          to: { recipients: [bob] },
          stop: false,
        },
      ],
      otherwise: { none: true },
    });
    expect((await agent.get(`/f/${id}/settings/routing`)).text).toContain("disabled");
    expect((await agent.post(`/f/${id}/settings/routing`, {})).status).toBe(403);
    const { text } = await backend.as({}).get("/audit?action=add_rule");
    expect(text).toContain("Added a rule");
  });

  it("is refused with what was typed, where it is wrong, has no condition or sends it elsewhere", async () => {
    const { backend, id } = await world();
    const { id: submission } = await backend.submit(id, { fields: { topic: "Sales", email: "cy@example.com" } });
    const at = `/f/${id}/s/${submission}/rule`;
    const agent = backend.as(rules);
    for (const [wrong, says] of [
      [{ "rule.0.if.0.type": "min", "rule.0.if.0.value": "<b>many</b>" }, "&lt;b&gt;many"],
      [{ "rule.0.if.0.field": "" }, "conditions on fields"],
      [{ "rule.0.join": "always" }, "conditions on fields"],
      [{ "rule.0.if.0.field": "elsewhere" }, "conditions on fields"],
      [{ "rule.0.to.who.0.address": "mallory@example.com" }, "mallory@example.com"],
    ] as const) {
      const { status, text } = await agent.post(at, rule(wrong));
      expect(status, JSON.stringify(wrong)).toBe(400);
      expect(text).toContain(says);
    }
    const { id: other } = await backend.forms.create({ name: "Other" });
    expect((await agent.post(`/f/${other}/s/${submission}/rule`, rule())).status).toBe(404);
    expect((await backend.forms.get(id)).settings.routing.rules).toEqual([]);
  });

  it("tells nothing of a value that is kept from the person", async () => {
    const backend = inboxHarness({ redact: { fields: ["iban"], value: () => "hidden" } }, { rateLimit: false });
    const { id } = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: [ann] } });
    const { id: submission } = await backend.submit(id, { fields: { iban: "DE89", topic: "Sales" } });
    const at = `/f/${id}/s/${submission}/rule`;
    const probe = rule({ "rule.0.if.0.field": "iban", "rule.0.if.0.type": "contains", "rule.0.if.0.value": "DE8" });
    expect((await backend.as(rules).post(at, probe)).status).toBe(400);
    expect((await backend.as(rules).post(at, rule())).status).toBe(303);
  });

  it("is hidden with the rules of forms, and loses none of another person's", async () => {
    const hidden = inboxHarness({ hide: ["settings.settings.routing.rules", "settings.settings.routing.otherwise"] });
    const { id: form } = await hidden.forms.create({ name: "Contact" });
    const { id: sent } = await hidden.submit(form, { fields: { topic: "Sales" } });
    expect((await hidden.as(rules).get(`/f/${form}/s/${sent}/rule`)).status).toBe(404);
    expect((await hidden.as(rules).post(`/f/${form}/s/${sent}/rule`, rule())).status).toBe(404);
    const { backend, id } = await world();
    const { id: submission } = await backend.submit(id, { fields: { topic: "Sales", email: "cy@example.com" } });
    const here = `/f/${id}/s/${submission}`;
    const agent = backend.as({ ...rules, can: ["rules", "block"] });
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_, n) => agent.post(`${here}/rule`, rule({ "rule.0.if.0.value": `${n}` }))),
      agent.post(here, { action: "block" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    const { settings } = await backend.forms.get(id);
    expect(settings.routing.rules.map((one) => one.if.all?.[0]?.value).sort()).toEqual(["0", "1", "2", "3"]);
    expect(settings.spam.senders).toEqual(["cy@example.com"]);
  });
});
