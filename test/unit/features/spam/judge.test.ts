import { describe, expect, it } from "vitest";
import type { Judged, SpamJudge } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

type Answer = Judged | null | Promise<Judged | null>;

async function world(answer: (text: string) => Answer, spam: object = {}, settings: object = {}) {
  const asked: string[] = [];
  const said: string[] = [];
  const clock = testClock(Date.parse("2026-11-22T10:00:00.000Z"));
  const judge: SpamJudge = ({ fields }) => {
    const text = fields.map(({ key, value }) => `${key}=${value}`).join("&");
    asked.push(text);
    return answer(text);
  };
  const log = (message: string) => void said.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const b = harness({ clock, logger, rateLimit: false, spam: { judge, ...spam } });
  const { id } = await b.forms.create({ name: "A", settings });
  const send = async (fields: Record<string, string>, more: object = {}) => {
    const { id: submission } = await b.submit(id, { fields, ...more });
    const [{ spam, verdict }] = [await b.submissions.get(id, submission)];
    return { spam, judged: verdict.find(({ check }) => check === "judge") };
  };
  return { b, id, asked, said, send, later: (ms: number) => clock.set(clock.now() + ms) };
}

describe("the host's judge of spam", () => {
  it("decides what nothing else decides, with its score and reason", async () => {
    const { send } = await world((text) => ({ spam: text.includes("loan"), score: 7, reason: "x".repeat(400) }));
    expect(await send({ note: "a loan for you" })).toEqual({
      spam: true,
      judged: { check: "judge", spam: true, score: 1, reason: "x".repeat(300) },
    });
    expect(await send({ note: "hello" })).toMatchObject({ spam: false, judged: { spam: false } });
  });

  it("is not asked about what is decided, allowed or trapped, nor of a form without protection", async () => {
    const settings = { spam: { words: ["pills"], allow: { senders: ["ann@example.com"] } } };
    const custom = () => ({ spam: true, check: "mine" });
    const { b, id, asked, send } = await world(() => ({ spam: true }), {}, settings);
    expect((await send({ note: "pills" })).spam).toBe(true);
    expect((await send({ email: "ann@example.com" })).spam).toBe(false);
    expect((await send({ note: "hello", _gotcha: "x" })).spam).toBe(true);
    await b.forms.update(id, { spam: { protection: false } });
    expect((await send({ note: "hello" })).spam).toBe(false);
    const other = await world(() => ({ spam: true }), { checks: [custom] });
    await other.send({ note: "hello" });
    expect([asked, other.asked]).toEqual([[], []]);
  });

  it("gets no value that must not be stored", async () => {
    const { asked, send } = await world(() => null, {}, { fields: { pin: { store: "drop" } } });
    expect((await send({ note: "hello", pin: "1234" })).judged).toBeUndefined();
    expect(asked).toEqual(["note=hello"]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("down: a secret text"))],
    ["answers nonsense", () => ({ spam: "yes" }) as unknown as Judged],
    ["never answers", () => new Promise<null>(() => {})],
  ])("has no opinion where it %s, and the log says so without the visitor's text", async (_, answer) => {
    const { send, said } = await world(answer, { judgeTimeoutMs: 5 });
    expect(await send({ note: "a secret text" })).toEqual({ spam: false, judged: undefined });
    const line = said.find((one) => one.includes("`spam.judge` gave no answer"));
    expect(line).toBeDefined();
    expect(line).not.toContain("a secret text");
  });

  it("is asked so often a minute, and a back-test takes nothing from that", async () => {
    const { b, id, asked, said, send, later } = await world((text) => ({ spam: text.includes("5") }), {
      judgePerMinute: 3,
    });
    for (let n = 0; n < 6; n++) await send({ n: String(n) });
    expect(asked).toEqual(["n=0", "n=1", "n=2"]);
    expect(said.filter((one) => one.includes("was asked 3 times this minute"))).toHaveLength(1);
    const result = await b.submissions.backtestSpam(id, { judge: true });
    expect(result).toMatchObject({ judged: 3, checked: 6, by_check: [{ check: "judge", caught: 1 }] });
    expect(result.unavailable).not.toContain("judge");
    expect(asked.slice(3)).toEqual(["n=5", "n=4", "n=3"]);
    later(60_000);
    await send({ n: "6" });
    expect(asked.at(-1)).toBe("n=6");
    const without = await b.submissions.backtestSpam(id);
    expect(without).not.toHaveProperty("judged");
    expect(without.unavailable).toContain("judge");
  });
});
