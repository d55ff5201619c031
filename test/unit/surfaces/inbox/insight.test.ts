import { describe, expect, it } from "vitest";
import { quietOf } from "../../../../src/model/quiet.ts";
import de from "../../../../src/texts/locales/de.ts";
import { type InboxHarness, inboxHarness } from "./_inbox.ts";

const DAY = 86_400_000;
const row = (text: string, field: string): string =>
  new RegExp(`<tr data-field="${field}"[^]*?</tr>`).exec(text)?.[0].replace(/<[^>]+>/g, " ") ?? "";

async function sent(backend: InboxHarness, form: string, n: number, fields: (i: number) => Record<string, string>) {
  const ids: string[] = [];
  for (let i = 0; i < n; i++) {
    ids.push((await backend.submit(form, { fields: fields(i) })).id);
    await backend.clock.advance(60_000);
  }
  return ids;
}

describe("a form that has fallen silent", () => {
  const busy = Array.from({ length: 21 }, () => 20);

  it("is told from 20 a day and none for two days", () => {
    expect(quietOf([...busy, 0, 0, 0])).toEqual({ days: 2, usual: 20 });
    expect(quietOf([...busy, 0, 0, 0, 0, 0])?.days).toBe(4);
  });

  it("is not one with a day of silence, with a post today, with few posts, or with none ever", () => {
    for (const days of [
      [...busy, 0, 0],
      [...busy, 0, 0, 1],
      [...Array(21).fill(1), 0, 0, 0],
      Array(30).fill(0),
      [5, 0, 0, 0],
      [],
    ]) {
      expect(quietOf(days)).toBeNull();
    }
  });

  it("is not one that rests on every weekend", () => {
    const week = [30, 30, 30, 30, 30, 0, 0];
    expect(quietOf([...week, ...week, ...week, 0])).toBeNull();
    // Monday and Tuesday are missing as well.
    expect(quietOf([...week, ...week, ...week, 0, 0, 0])).toMatchObject({ days: 4 });
  });

  it("has a mark in the list of forms and a banner on its pages, unless it is paused", async () => {
    const backend = inboxHarness({}, { locales: [de] });
    const form = await backend.forms.create({ name: "Contact" });
    await backend.forms.create({ name: "Another" });
    for (let day = 0; day < 8; day++) {
      for (let i = 0; i < 6; i++) await backend.submit(form.id, { fields: { name: `${day} ${i}` } });
      await backend.clock.advance(DAY);
    }
    const ann = backend.as({});
    expect((await ann.get("/")).text).not.toContain("data-quiet");
    await backend.clock.advance(2 * DAY);
    expect((await ann.get("/")).text).toContain("Quiet for 2 days");
    for (const path of ["", "/stats"]) {
      expect((await ann.get(`/f/${form.id}${path}`)).text).toContain("Nothing came for 2 days. Usually it is 6 a day.");
    }
    expect((await backend.as({ locale: "de" }).get("/")).text).toContain("Seit 2 Tagen still");
    await backend.forms.update(form.id, { active: false });
    expect((await ann.get("/")).text).not.toContain("data-quiet");
    expect((await ann.get(`/f/${form.id}`)).text).not.toContain("data-quiet");
  });
});

describe("form.quiet", () => {
  it("is emitted once for each silence, and not for a paused form", async () => {
    const backend = inboxHarness();
    const form = await backend.forms.create({ name: "Contact" });
    const paused = await backend.forms.create({ name: "Paused" });
    const told: unknown[] = [];
    backend.on("form.quiet", (event) => void told.push(event));
    const busy = async () => {
      for (let day = 0; day < 8; day++) {
        for (const { id } of [form, paused])
          for (let i = 0; i < 6; i++) await backend.submit(id, { fields: { name: `${day} ${i}` } });
        await backend.clock.advance(DAY);
      }
    };
    await busy();
    await backend.forms.update(paused.id, { active: false });
    await backend.sweep();
    expect(told).toEqual([]);
    await backend.clock.advance(2 * DAY);
    await Promise.all([backend.sweep(), backend.sweep()]);
    await backend.clock.advance(DAY);
    await backend.sweep();
    expect(told).toEqual([
      {
        form_id: form.id,
        team_id: "default",
        days: 2,
        usual: 6,
        last_submission_at: (await backend.forms.get(form.id)).last_submission_at,
      },
    ]);
    await backend.forms.update(paused.id, { active: true });
    await busy();
    await backend.forms.update(paused.id, { active: false });
    await backend.clock.advance(2 * DAY);
    await backend.sweep();
    expect(told).toHaveLength(2);
  });
});

describe("the check-up of a form", () => {
  it("finds a template's name that never came, and the settings that name it", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    await backend.forms.update(id, {
      self_email_notification: {
        subject: "From {{naem}} about {{form.name}}",
        template: { html: "{{#fields}}{{key}}: {{value}}{{/fields}}{{naem}}" },
      },
      auto_response: { enabled: true, subject: "Hello {{ name | you }}" },
      validation: { enabled: true, rules: [{ field: "phone", checks: [{ type: "phone" }] }] },
      settings: {
        routing: {
          rules: [{ if: { any: [{ field: "topic", type: "equals", value: "jobs" }] }, to: { subject: "{{name}}" } }],
        },
      },
    });
    await sent(backend, id, 25, (i) => ({ name: "Ann", email: `a${i}@example.com` }));
    const { text } = await backend.as({}).get(`/f/${id}/stats/checkup`);
    expect(row(text, "naem")).toContain("Never came in 25 submissions");
    expect(row(text, "naem")).toContain("Notification · Subject");
    expect(row(text, "naem")).toContain("Notification · Own HTML");
    expect(row(text, "phone")).toContain("Validation · Rules");
    expect(row(text, "topic")).toContain("Never came in 25 submissions");
    expect(text).toContain(`/settings/routing#settings.routing.rules`);
    expect(text.match(/data-kind=/g)).toHaveLength(3);
    expect(text).toContain(`/f/${id}/settings/notification#self_email_notification.subject`);
  });

  it("finds a field that stopped, and the one that began in its place", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    await backend.forms.update(id, { settings: { labels: { email: "Your address", company: "Your company" } } });
    await sent(backend, id, 30, (i) => ({ n: String(i), email: "a@example.com", company: "Acme" }));
    await sent(backend, id, 10, (i) => ({ n: String(i), "e-mail": "a@example.com" }));
    const { text } = await backend.as({}).get(`/f/${id}/stats/checkup`);
    expect(row(text, "email")).toMatch(/Last came on .*, when “\u2068?e-mail\u2069?” began/);
    expect(row(text, "company")).toContain("Last came on");
    expect(row(text, "company")).not.toContain("began");
    expect(row(text, "n")).toBe("");
  });

  it("does not miss a field that only some submissions have, or one that is not stored", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    await backend.forms.update(id, {
      settings: { labels: { company: "Company" }, fields: { card: { store: "drop" } } },
    });
    await sent(backend, id, 40, (i) => ({ n: String(i), card: "1", ...(i % 5 === 0 && { company: "Acme" }) }));
    const { text } = await backend.as({}).get(`/f/${id}/stats/checkup`);
    expect(text).toContain("All is well");
  });

  it("says nothing of a form with few submissions", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    await backend.forms.update(id, { settings: { labels: { nothing: "Nothing" } } });
    await sent(backend, id, 3, () => ({ a: "1" }));
    const { text } = await backend.as({}).get(`/f/${id}/stats/checkup`);
    expect(text).toContain("Only 3 submissions came so far");
    expect(text).not.toContain("data-kind");
  });

  it("names no setting that the inbox hides, and stays readable with names of attackers", async () => {
    const backend = inboxHarness({ hide: ["settings.labels"] });
    const { id } = await backend.forms.create({ name: "Contact" });
    const hostile = `"><img src=x onerror=alert(1)>`;
    await backend.forms.update(id, { settings: { labels: { [hostile]: "x", __proto__x: "y" } } });
    await sent(backend, id, 20, () => ({ a: "1", ["x".repeat(150)]: "1" }));
    const { text } = await backend.as({}).get(`/f/${id}/stats/checkup`);
    expect(text).toContain("No setting");
    expect(text).not.toContain("<img");
    expect(text).not.toContain("Names of fields");
  });
});

describe("spam settings tried on stored submissions", () => {
  async function shop(options = {}) {
    const backend = inboxHarness(options);
    const { id } = await backend.forms.create({ name: "Contact" });
    const good = await sent(backend, id, 6, (i) => ({ email: `a${i}@example.com`, message: `Order ${i} of cake` }));
    const bad = await sent(backend, id, 4, (i) => ({
      email: `x${i}@example.com`,
      message: "Best casino bonus, viagra online",
    }));
    return { backend, id, good, bad };
  }
  /** The page of settings as a browser posts it, with some of its texts changed. */
  const page = (changes: Record<string, string>) => ({
    ...Object.fromEntries(Object.keys(changes).map((name) => [`was.${name}`, ""])),
    ...changes,
  });

  it("says what the unsaved lists would move, and changes nothing", async () => {
    const { backend, id, good } = await shop();
    const ann = backend.as({});
    const before = await backend.forms.get(id);
    const settings = await ann.get(`/f/${id}/settings/spam`);
    expect(settings.text).toMatch(/formaction="[^"]+spam\/backtest\?frame=1" formtarget="trial"/);
    const was = /name="was\.settings\.spam\.words" value="([^"]*)"/.exec(settings.text)?.[1] ?? "";
    const { text, status } = await ann.post(`/f/${id}/spam/backtest?frame=1`, {
      "was.settings.spam.words": was,
      "settings.spam.words": "cake",
      "trial.limit": "100",
    });
    expect(status).toBe(200);
    expect(text).toContain("Of 10 submissions, 10 would be spam.");
    expect(text).toContain("6 in the inbox would be spam");
    expect(text).toContain(`/s/${good[5]}"`);
    expect(text).toContain("Blocked word");
    expect(await backend.forms.get(id)).toEqual(before);
    expect((await backend.submissions.list(id, { status: "spam" })).data).toHaveLength(4);
  });

  it("shows a fault of the page in the frame, which only pages of the inbox may hold", async () => {
    const { backend, id } = await shop();
    const answer = await backend
      .as({})
      .post(`/f/${id}/spam/backtest?frame=1`, page({ "settings.spam.ips": "not an address" }));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('role="alert"');
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(answer.headers.get("content-security-policy")).not.toContain("allow-scripts");
  });

  it("is a page of its own for the saved settings", async () => {
    const { backend, id } = await shop();
    const { text } = await backend.as({ role: "viewer" }).get(`/f/${id}/spam/backtest`);
    expect(text).toContain("Of 10 submissions, 4 would be spam.");
    expect(text).toContain("All of them would stay where they are.");
    expect(text).toContain("Captcha");
    expect(text).not.toContain("Change the settings");
  });

  it("is not offered where values are kept back, to people who may not change settings, or when hidden", async () => {
    const kept = await shop({ redact: { fields: ["email"], value: () => "•" } });
    const answer = await kept.backend
      .as({})
      .post(`/f/${kept.id}/spam/backtest?frame=1`, page({ "settings.spam.words": "cake" }));
    expect(answer.text).toContain("keeps some values back");
    expect(answer.text).not.toContain("would be spam");
    const { backend, id } = await shop();
    expect((await backend.as({ role: "viewer" }).post(`/f/${id}/spam/backtest?frame=1`)).status).toBe(403);
    expect((await backend.as({ role: "agent" }).get(`/f/${id}/settings/spam`)).text).not.toContain("formtarget");
    const hidden = await shop({ hide: ["spam"] });
    expect((await hidden.backend.as({}).get(`/f/${hidden.id}/spam/backtest`)).status).toBe(404);
    expect((await hidden.backend.as({}).get(`/f/${hidden.id}/settings/spam`)).text).not.toContain("formtarget");
  });

  it("says how much spam one check alone has held back", async () => {
    const { backend, id, bad } = await shop();
    await backend.forms.update(id, { settings: { spam: { words: ["casino"] } } });
    const [both] = await sent(backend, id, 1, () => ({ message: "casino bonus, viagra online" }));
    const ann = backend.as({});
    expect((await ann.get(`/f/${id}/s/${both}?tab=spam`)).text).toContain(`/f/${id}/spam/backtest?without=phrases`);
    const { text } = await ann.get(`/f/${id}/spam/backtest?without=phrases`);
    expect(text).toContain(
      "Of the latest 5 in spam, \u20684\u2069 would have come through without this check.".replace(
        /[\u2068\u2069]/g,
        "",
      ),
    );
    expect(text).toContain(`/s/${bad[3]}?tab=spam`);
    expect(text).not.toContain(`/s/${both}?tab=spam`);
    expect((await ann.get(`/f/${id}/spam/backtest?without=links`)).text).toContain("0 would have come through");
  });

  it("counts findings together where only together they are enough", async () => {
    const { backend, id } = await shop();
    await backend.forms.update(id, { settings: { spam: { threshold: "low" } } });
    const message = "casino bonus viagra online http://a.example http://b.example http://c.example";
    const [both] = await sent(backend, id, 1, () => ({ message }));
    expect((await backend.submissions.get(id, both ?? "")).spam).toBe(true);
    const { text } = await backend.as({}).get(`/f/${id}/spam/backtest?without=links`);
    expect(text).toContain(`/s/${both}?tab=spam`);
  });
});

describe("a delivery that failed", () => {
  it("is compared with the last ones that were delivered", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const webhook = await backend.webhooks.create(id, { url: "https://hooks.example.com/crm" });
    const failing = async (fields: Record<string, string>) => {
      backend.answerWebhooks(() => 500);
      const [submission_id = ""] = await sent(backend, id, 1, () => fields);
      await backend.clock.advance(60_000);
      const jobs = await backend.jobs.list({ submission_id, kind: "webhook" });
      return (await backend.as({}).get(`/f/${id}/deliveries/${jobs[0]?.id}`)).text;
    };
    expect(await failing({ email: "a@example.com" })).not.toContain("Compared with");
    backend.answerWebhooks(() => 200);
    await sent(backend, id, 12, (i) => ({ email: "a@example.com", name: "Ann", ...(i < 4 && { company: "Acme" }) }));
    await backend.clock.advance(60_000);
    const hostile = "<img src=x onerror=alert(1)>";
    const text = await failing({ "e-mail": "a@example.com", name: "Ann", [hostile]: "1" });
    // The first one was tried again meanwhile.
    expect(text).toContain("Compared with the last 13 that were delivered");
    expect(text).toContain("“email” is missing here.");
    expect(text).toContain("“e-mail” is new here.");
    expect(text).not.toContain("company");
    expect(text).not.toContain("<img");
    const same = await failing({ email: "a@example.com", name: "Ann" });
    expect(same).toContain("It has the same fields as the last 13 that were delivered.");
    expect((await backend.webhooks.get(id, webhook.id)).enabled).toBe(true);
  });
});

describe("rules tried on stored submissions", () => {
  it("says how many the unsaved rules would have refused, and by which of them", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Contact" });
    const ids = await sent(backend, id, 12, (i) => ({ email: i < 5 ? "no address" : "a@example.com", message: "x" }));
    const before = await backend.forms.get(id);
    const ann = backend.as({});
    const settings = await ann.get(`/f/${id}/settings/validation`);
    expect(settings.text).toMatch(/formaction="[^"]+settings\/validation\/backtest\?frame=1"/);
    const was = /name="was\.validation\.rules" value="([^"]*)"/.exec(settings.text)?.[1] ?? "";
    const names = [...settings.text.matchAll(/name="(validation\.rules[^"]*)"/g)].map(([, name]) => name ?? "");
    const pick = (part: RegExp) => names.find((name) => part.test(name)) ?? "";
    const { text, status } = await ann.post(`/f/${id}/settings/validation/backtest?frame=1`, {
      "was.validation.rules": was,
      [pick(/field/)]: "email",
      [pick(/type|check/)]: "email",
    });
    expect(status).toBe(200);
    expect(text).toContain("Of 12 submissions, 5 would have been refused.");
    expect(text).toContain("email: is an email address");
    expect(text).toContain(`/s/${ids[4]}"`);
    expect(text).not.toContain(`/s/${ids[5]}"`);
    expect(await backend.forms.get(id)).toEqual(before);
  });
});
