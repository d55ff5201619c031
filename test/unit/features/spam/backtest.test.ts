import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const MINUTE = 60_000;

async function world(options: object = {}) {
  const b = harness({ rateLimit: false, ...options });
  const form = await b.forms.create({ name: "A" });
  const post = async (fields: Record<string, string>): Promise<string> => {
    await b.clock.advance(MINUTE);
    return (await b.post(form.id, fields)).json.submission_id;
  };
  const backtest = (body: object, key = b.key) => b.call("POST", `/v1/forms/${form.id}/spam/backtest`, { body, key });
  return { b, form: form.id, post, backtest };
}

it("says which submissions other settings judge otherwise than their marks, and changes nothing", async () => {
  const { b, form, post, backtest } = await world();
  const fine = await post({ message: "Hello, when do you open?" });
  const casino = await post({ message: "We play in the casino of our village tonight." });
  const pills = await post({ message: "buy viagra" });
  const trapped = await post({ message: "hello", _gotcha: "x" });
  const released = await post({ message: "levitra" });
  await b.submissions.update(form, released, { spam: false });
  await b.submissions.update(form, fine, { spam: true });
  const before = await b.submissions.list(form, { status: "all" });

  const { status, json } = await backtest({ spam: { words: ["casino"] } });
  expect(status).toBe(200);
  expect(json).toEqual({
    checked: 5,
    caught: 4,
    missed: [fine],
    false_positives: [released, casino],
    changed: { to_spam: 2, to_inbox: 1 },
    by_check: [
      { check: "phrases", caught: 2 },
      { check: "blocked_word", caught: 1 },
      { check: "honeypot", caught: 1 },
    ],
    unavailable: ["honeypot", "token", "captcha", "session", "repeated"],
  });
  expect((await backtest({})).json).toMatchObject({ false_positives: [released], missed: [fine] });
  expect((await backtest({ spam: { threshold: "low" } })).json).toMatchObject({ missed: [pills, fine], caught: 1 });
  expect((await backtest({ limit: 2 })).json).toMatchObject({ checked: 2, caught: 2, false_positives: [released] });
  expect(await b.submissions.backtestSpam(form, { limit: 2 })).toMatchObject({ checked: 2 });
  const { created_at } = await b.submissions.get(form, trapped);
  expect((await backtest({ created_after: created_at })).json).toMatchObject({ checked: 2 });
  expect(await b.submissions.list(form, { status: "all" })).toEqual(before);
  expect((await b.forms.get(form)).settings.spam.words).toEqual([]);
});

it("allowed senders leave the stored honeypot, and the host's own checks are named", async () => {
  const { form, post, backtest, b } = await world({ spam: { checks: [() => null] } });
  const trapped = await post({ email: "ann@example.com", message: "viagra", _gotcha: "x" });
  const pills = await post({ email: "ann@example.com", message: "viagra" });
  const { json } = await backtest({ spam: { allow: { senders: ["@example.com"] } } });
  expect(json).toMatchObject({ caught: 1, missed: [pills], by_check: [{ check: "honeypot", caught: 1 }] });
  expect(json.unavailable).toContain("custom");
  expect((await b.submissions.get(form, trapped)).spam).toBe(true);
});

it("lists 100 ids at most, and counts them all", async () => {
  const { b, form } = await world({ storage: memoryStorage() });
  for (let n = 0; n < 120; n++) await b.submit(form, { fields: { n: `number ${n}` } });
  const result = await b.submissions.backtestSpam(form, { spam: { words: ["number"] }, limit: 2_000 });
  expect(result).toMatchObject({ checked: 120, changed: { to_spam: 120, to_inbox: 0 } });
  expect(result.false_positives).toHaveLength(100);
});

it("refuses wrong input by its name, other teams' forms and keys without the scope", async () => {
  const { b, backtest } = await world();
  const wrong: [object, string][] = [
    [{ spam: { words: [""] } }, "spam.words.0"],
    [{ spam: { allow: { ips: ["x"] } } }, "spam.allow.ips.0"],
    [{ spam: { word: [] } }, "spam.word"],
    [{ limit: 2_001 }, "limit"],
    [{ limit: 0 }, "limit"],
    [{ created_after: "yesterday" }, "created_after"],
    [{ rules: [] }, "rules"],
  ];
  for (const [body, param] of wrong) {
    expect((await backtest(body)).json.error, param).toMatchObject({ code: "invalid_parameter", param });
  }
  const { id: team_id } = await b.teams.create({ name: "B", owner: { email: "b@example.com" } });
  expect((await backtest({}, await b.keyWith("all", { team_id }))).json.error.code).toBe("form_not_found");
  expect((await backtest({}, await b.keyWith(["forms:read"]))).json.error.code).toBe("insufficient_scope");
});
