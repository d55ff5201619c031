import { describe, expect, it } from "vitest";
import type { FormBackendOptions } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { cpuTime } from "../../../_support/cpu.ts";
import { disguised, honest, phishing } from "./_suspects.ts";
import { links, lures, plain, type Told } from "./_whole-forms.ts";

/** Places of a form that name what it asks for. */
const places: readonly ((name: string) => object)[] = [
  (name) => ({ settings: { labels: { f1: name } } }),
  (name) => ({ settings: { labels: { [name]: "Your answer" } } }),
  (name) => ({ validation: { rules: [{ field: name, checks: [{ type: "required" }] }] } }),
];

/** A form's input by what it tells a visitor. */
const told = ({ name = "Contact", headline, page, subject, reply, html, redirect, button, rule }: Told) => ({
  name,
  after_submit: {
    page: {
      ...(headline !== undefined && { headline }),
      ...(page !== undefined && { message: page }),
      ...(button !== undefined && { return_button: { text: "Go on", url: button } }),
    },
    ...(redirect !== undefined && { redirect: { success_url: redirect } }),
  },
  auto_response: {
    ...(subject !== undefined && { subject }),
    template: { ...(reply !== undefined && { message: reply }), ...(html !== undefined && { html }) },
  },
  ...(rule !== undefined && {
    validation: { rules: [{ field: "a", checks: [{ type: "required" as const, message: rule }] }] },
  }),
});

const withTeams = async (options: Partial<FormBackendOptions> = {}) => {
  const b = harness({ rateLimit: false, ...(options as object) });
  await b.teams.create({ id: "acme", name: "Acme" });
  return b;
};

describe("the check of forms that is built in", () => {
  it("finds phishing forms and no honest ones", async () => {
    const b = await withTeams();
    expect(phishing.length >= 50 && disguised.length >= 50 && honest.length >= 200).toBe(true);
    const missed: string[] = [];
    const wronged: string[] = [];
    for (const [names, fault] of [
      [phishing, missed],
      [disguised, missed],
      [honest, wronged],
    ] as const) {
      for (const [at, name] of names.entries()) {
        const { id } = await b.forms.create({ name: "F", ...places[at % places.length]?.(name) }, { team_id: "acme" });
        const found = (await b.abuse.list({ form_id: id })).data.length > 0;
        if (found === (names === honest)) fault.push(name);
      }
    }
    expect({ missed, wronged }).toEqual({ missed: [], wronged: [] });
  });

  it("looks at the whole form: the page, the reply, its HTML, the links", async () => {
    const b = await withTeams();
    const reasonsOf = async (form: Told, label?: string): Promise<string[]> => {
      const settings = label === undefined ? {} : { settings: { labels: { f1: label } } };
      const { id } = await b.forms.create({ ...told(form), ...settings }, { team_id: "acme" });
      return (await b.abuse.list({ form_id: id })).data.map(({ reason }) => reason);
    };
    const missed: Told[] = [];
    for (const form of lures) if ((await reasonsOf(form)).length === 0) missed.push(form);
    const wronged: unknown[] = [];
    for (const [at, label] of honest.entries()) {
      const text = plain[at % plain.length] as string;
      const link = links[at % links.length] as string;
      const form: Told = [
        { page: `${text}\n${link}`, redirect: link },
        { reply: text, button: link },
        { html: `<p>${text}</p><p>See <a href="${link}">${at % 2 ? "our page" : link}</a></p>` },
        { headline: text.slice(0, 300), reply: `${plain[(at + 7) % plain.length]}\n${text}` },
      ][Math.floor(at / plain.length + at) % 4] as Told;
      const reasons = await reasonsOf(form, label);
      if (reasons.length > 0) wronged.push([form, reasons]);
    }
    expect([lures.length >= 50, honest.length >= 200]).toEqual([true, true]);
    expect({ missed, wronged }).toEqual({ missed: [], wronged: [] });
  });

  it("says what it found in a text or a link, and takes no long time over what a tenant makes for it", async () => {
    const b = await withTeams();
    const reasonOf = async (form: Told) => {
      const { id } = await b.forms.create(told(form), { team_id: "acme" });
      return (await b.abuse.list({ form_id: id })).data.map(({ reason }) => reason);
    };
    expect(await reasonOf({ html: '<a href="https://collect.example/x">www.paypal.com</a>' })).toEqual([
      "A link of the auto-response's HTML says www.paypal.com and leads to collect.example.",
    ]);
    expect(await reasonOf({ page: "Thanks. Please confirm your password." })).toEqual([
      "The page tells its reader to hand over a secret: “Please confirm your password”.",
    ]);
    const most = 199 * 1024;
    const fill = (piece: string): string => piece.repeat(Math.floor(most / Buffer.byteLength(piece)));
    for (const piece of [
      "confirm ",
      ".",
      "<a href=https://a.example>",
      "https://a.example ",
      "1",
      "confirm account ",
      "p a ",
    ]) {
      const before = cpuTime();
      await reasonOf({ html: fill(piece) });
      expect([piece, cpuTime() - before < 3_000]).toEqual([piece, true]);
    }
  });

  it("says which field, once for each change that adds one, and locks nothing", async () => {
    const b = await withTeams();
    const events: unknown[] = [];
    b.on("abuse.reported", (report) => void events.push(report));
    const { id } = await b.forms.create({ name: "Login" }, { team_id: "acme" });
    const rules = [{ field: "emailPassword", checks: [{ type: "required" as const }] }];
    await b.forms.update(id, { validation: { rules } });
    await b.forms.update(id, { name: "Renamed" });
    const { data } = await b.abuse.list();
    expect(data).toMatchObject([
      { form_id: id, team_id: "acme", kind: "check", reason: "The field “emailPassword” asks for a password." },
    ]);
    expect(events).toEqual(data);
    expect((await b.post(id, { emailPassword: "x" })).status).toBe(200);
  });

  it("is off with one team, and where the option says so", async () => {
    const alone = harness();
    await alone.forms.create({ name: "F", settings: { labels: { a: "password" } } });
    const off = await withTeams({ formChecks: [] });
    await off.forms.create({ name: "F", settings: { labels: { a: "password" } } }, { team_id: "acme" });
    expect([(await alone.abuse.list()).data, (await off.abuse.list()).data]).toEqual([[], []]);
  });
});

describe("checks of the host's", () => {
  it("lock a form as it is created or changed, and what the host unlocked stays so until something new is found", async () => {
    const b = await withTeams({
      formChecks: [
        ({ name }, { team }) => (/bank/i.test(name) ? { lock: true, reason: `${team.name} is no bank` } : null),
        () => {
          throw new Error("the list of words can't be read");
        },
      ],
    });
    const bad = await b.forms.create({ name: "My Bank" }, { team_id: "acme" });
    expect(bad.locked).toMatchObject({ reason: "Acme is no bank" });
    expect((await b.post(bad.id, { a: "b" })).json.error.code).toBe("form_locked");
    const { id } = await b.forms.create({ name: "Shop" }, { team_id: "acme" });
    const key = await b.keyWith("all", { team_id: "acme" });
    expect((await b.call("PATCH", `/v1/forms/${id}`, { key, body: { name: "Online bank" } })).status).toBe(200);
    expect((await b.forms.get(id)).locked).toMatchObject({ reason: "Acme is no bank" });
    await b.forms.unlock(id);
    await b.forms.update(id, { active: true, avatar: "🏦" });
    expect(await b.forms.get(id)).not.toHaveProperty("locked");
    expect((await b.abuse.list()).data).toHaveLength(2);
  });

  it("are functions, and few", () => {
    expect(() => harness({ formChecks: ["x"] as never })).toThrow("option `formChecks");
    expect(() => harness({ abuse: { report: "yes" } as never })).toThrow("option `abuse.report`");
  });
});

describe("a report by a visitor", () => {
  const opened = async () => {
    const b = await withTeams({ abuse: { report: true } });
    const { id } = await b.forms.create({ name: "Prize" }, { team_id: "acme" });
    const report = (reason: string, method = "POST") =>
      b.call(method, `/f/${id}/report`, {
        key: null,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        ...(method === "POST" && { body: new URLSearchParams({ reason }).toString() }),
      });
    return { b, id, report };
  };

  it("is one press of a button, linked from the page that thanks", async () => {
    const { b, id, report } = await opened();
    const sent = await b.post(id, "email=ann%40example.com", { accept: "text/html" });
    const thanks = await b.call("GET", (sent.headers.get("location") ?? "").slice(b.baseUrl.length), { key: null });
    expect(thanks.text).toContain(`href="${b.baseUrl}/f/${id}/report">Report this form</a>`);
    const asked = await report("", "GET");
    expect(asked.text).toContain(`<form method="post" action="${b.baseUrl}/f/${id}/report">`);
    const done = await report("It asks for my bank's password\u202e<script>");
    expect([done.status, done.text.includes("Thank you")]).toEqual([200, true]);
    const { data } = await b.abuse.list({ form_id: id });
    expect(data).toMatchObject([{ form_id: id, team_id: "acme", kind: "report" }]);
    expect(data[0]?.reason).toContain("It asks for my bank's password");
    expect(JSON.stringify(data)).not.toContain("203.0.113.9");
  });

  it("has JSON for scripts, which may send JSON too", async () => {
    const { b, id } = await opened();
    const json = { accept: "application/json", "content-type": "application/json" };
    const asked = await b.call("GET", `/f/${id}/report`, { key: null, headers: { accept: "application/json" } });
    expect(asked.json).toMatchObject({ code: 200, status: "success", title: expect.any(String) });
    const body = JSON.stringify({ reason: "It asks for a PIN" });
    const done = await b.call("POST", `/f/${id}/report`, { key: null, headers: json, body });
    expect(done.json).toMatchObject({ code: 200, status: "success", title: expect.stringContaining("Thank you") });
    expect((await b.abuse.list({ form_id: id })).data[0]?.reason).toBe("It asks for a PIN");
  });

  it("counts once a day for an address, is bounded in length, and never says what became of it", async () => {
    const { b, id, report } = await opened();
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push((await report("again")).text);
    expect(new Set(answers).size).toBe(1);
    expect((await b.abuse.list()).data).toHaveLength(1);
    expect((await report("x".repeat(5_000))).status).toBe(413);
    await b.clock.advance(24 * 60 * 60_000);
    await report("y".repeat(3_000));
    const { data } = await b.abuse.list({ form_id: id });
    expect(data.map(({ reason }) => reason.length <= 1_000)).toEqual([true, true]);
  });

  it("is not there unless the option says so, nor for a form that is not", async () => {
    const b = await withTeams();
    const { id } = await b.forms.create({ name: "F" }, { team_id: "acme" });
    expect((await b.call("POST", `/f/${id}/report`, { key: null })).status).toBe(404);
    const { b: open } = await opened();
    expect((await open.call("GET", "/f/nothing/report", { key: null })).status).toBe(404);
  });
});

describe("deleted forms", () => {
  it("are listed, the last deleted first, until nothing is left of them", async () => {
    const b = await withTeams();
    const keep = { storage: { keep_for: "1_days" as const } };
    const ids: string[] = [];
    for (const name of ["One", "Two", "Three"]) {
      const { id } = await b.forms.create({ name, ...keep }, { team_id: name === "Three" ? "acme" : "default" });
      await b.post(id, { email: "ann@example.com" });
      ids.push(id);
      await b.forms.delete(id);
      await b.clock.advance(1_000);
    }
    const first = await b.forms.list({ deleted: true, limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(["Three", "Two"]);
    expect(first.data[0]).toEqual({
      id: ids[2],
      team_id: "acme",
      name: "Three",
      deleted_at: "2026-01-01T00:00:02.000Z",
    });
    const next = await b.forms.list({ deleted: true, limit: 2, cursor: first.next_cursor ?? "" });
    expect([next.data.map(({ name }) => name), next.has_more]).toEqual([["One"], false]);
    expect((await b.forms.list({ deleted: true, team_id: "acme" })).data).toHaveLength(1);
    expect((await b.forms.list()).data).toEqual([]);
    await b.clock.advance(2 * 24 * 60 * 60_000);
    await b.sweep();
    await b.clock.advance(24 * 60 * 60_000);
    await b.sweep();
    expect((await b.forms.list({ deleted: true })).data).toEqual([]);
  });
});

it("the host's own webhooks are told of reports and of locks by a check, in the commit that makes them", async () => {
  const b = await withTeams({
    formChecks: [({ name }) => (/bank/i.test(name) ? { lock: true, reason: "No bank" } : null)],
    hostWebhooks: [
      {
        url: "https://host.example.com/events",
        secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
        events: ["abuse.reported", "form.locked"],
      },
    ],
  });
  await b.forms.create({ name: "My bank" }, { team_id: "acme" });
  await b.tick();
  const jobs = await b.jobs.list({ kind: "host_webhook" });
  expect(jobs.map(({ code }) => code)).toEqual(["SUCCESS", "SUCCESS"]);
  const sent = b.webhookCalls.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  expect(sent.map(({ type }) => type).sort()).toEqual(["abuse.reported", "form.locked"]);
});
