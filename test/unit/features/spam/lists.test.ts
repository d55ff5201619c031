import { expect, it } from "vitest";
import { wordFinder } from "../../../../src/features/spam/words.ts";
import { memoryStorage, type Verdict } from "../../../../src/index.ts";
import type { HostFormSettingsPatch } from "../../../../src/model/form-settings.ts";
import { harness } from "../../../_support/backend.ts";

type Lists = NonNullable<HostFormSettingsPatch["spam"]>;

async function world(spam: Lists, rest: object = {}) {
  const storage = memoryStorage();
  const b = harness({ storage, rateLimit: false, country: "cf-ipcountry", trustProxy: true });
  const form = await b.forms.create({ name: "A", settings: { spam }, ...rest });
  return {
    b,
    form,
    async verdicts(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Verdict[]> {
      const { json, status, text } = await b.post(form.id, fields, headers);
      expect(status, text).toBe(200);
      const row = (await storage.get("submissions", [json.submission_id])).get(json.submission_id);
      return row?.value["verdict"] as Verdict[];
    },
  };
}

const phrase = { message: "We boost your traffic within a week, write to us." };

it("a word of the list is spam as a whole word, in any case, disguised or not, with its place", async () => {
  const { verdicts } = await world({ words: ["Cheap Pills", "在线赌场"] });
  expect(await verdicts({ message: "Buy CHEAP\u200B  pıills, cheap pills!" })).toEqual([
    {
      check: "blocked_word",
      spam: true,
      score: 1,
      reason: "cheap pills",
      at: [{ key: "message", nth: 0, start: 20, end: 31 }],
    },
  ]);
  expect(await verdicts({ message: "ｃｈｅａｐ ｐｉｌｌｓ" })).toMatchObject([{ check: "blocked_word" }]);
  expect(await verdicts({ message: "推荐在线赌场给你" })).toMatchObject([
    { check: "blocked_word", reason: "在线赌场" },
  ]);
  expect(await verdicts({ message: "cheap pillsbury, notcheap pills" })).toEqual([]);
});

it("a sender, a domain, an address and a country of the lists are spam", async () => {
  const { verdicts } = await world({
    senders: ["Ann@Spam.example", "@bad.example"],
    ips: ["192.0.2.0/24", "2001:db8::/32"],
    countries: ["AQ"],
  });
  expect(await verdicts({ email: "ann@SPAM.example" })).toMatchObject([
    { check: "blocked_sender", spam: true, reason: "ann@SPAM.example" },
  ]);
  expect(await verdicts({ email: "me@fine.example", other: " x@bad.example " })).toMatchObject([
    { reason: "x@bad.example" },
  ]);
  expect(await verdicts({ a: "b", _replyto: "x@bad.example" })).toMatchObject([{ check: "blocked_sender" }]);
  expect(await verdicts({ email: "ben@spam.example" })).toEqual([]);
  expect(await verdicts({ email: "x@sub.bad.example" })).toEqual([]);
  expect(await verdicts({ a: "b" }, { "x-forwarded-for": "192.0.2.77" })).toMatchObject([
    { check: "blocked_ip", reason: "192.0.2.77" },
  ]);
  expect(await verdicts({ a: "b" }, { "x-forwarded-for": "::ffff:192.0.2.7" })).toMatchObject([
    { check: "blocked_ip" },
  ]);
  expect(await verdicts({ a: "b" }, { "x-forwarded-for": "2001:db8::9" })).toMatchObject([{ check: "blocked_ip" }]);
  expect(await verdicts({ a: "b" }, { "cf-ipcountry": "AQ" })).toMatchObject([
    { check: "blocked_country", reason: "AQ" },
  ]);
  expect(await verdicts({ a: "b" }, { "cf-ipcountry": "DE", "x-forwarded-for": "198.51.100.1" })).toEqual([]);
});

it("no list counts where the content checks are switched off", async () => {
  const { verdicts } = await world({ words: ["casino"] }, { spam: { protection: false } });
  expect(await verdicts({ message: "casino" })).toEqual([]);
  expect(await verdicts({ message: "buy viagra" })).toEqual([]);
});

it("an allowed sender or address skips lists and content checks, and not the honeypot", async () => {
  const { verdicts } = await world({
    words: ["casino"],
    allow: { senders: ["ann@example.com"], ips: ["198.51.100.0/24"] },
  });
  const text = "viagra casino";
  expect(await verdicts({ message: text, email: "Ann@example.com" })).toEqual([
    { check: "allowed", spam: false, reason: "Ann@example.com" },
  ]);
  expect(await verdicts({ message: text }, { "x-forwarded-for": "198.51.100.9" })).toMatchObject([
    { check: "allowed" },
  ]);
  expect(await verdicts({ message: text, email: "ann@example.com", _gotcha: "x" })).toMatchObject([
    { check: "honeypot", spam: true },
    { check: "allowed", spam: false },
  ]);
  // Another person's address somewhere in the text allows nobody.
  expect(await verdicts({ message: text, friend: "ann@example.com" })).toMatchObject([
    { check: "blocked_word", spam: true },
    { check: "phrases", spam: true },
  ]);
});

it("the threshold decides how much is needed", async () => {
  const [high, normal, low] = await Promise.all([
    world({ threshold: "high" }),
    world({ threshold: "normal" }),
    world({ threshold: "low" }),
  ]);
  expect(await high.verdicts(phrase)).toMatchObject([{ check: "phrases", spam: true }]);
  expect(await normal.verdicts(phrase)).toEqual([]);
  const links = { message: "https://a.example https://b.example" };
  expect(await high.verdicts(links)).toMatchObject([{ check: "links", spam: true }]);
  expect(await normal.verdicts(links)).toEqual([]);
  const one = { message: "An online casino opened in our street, what a noise it makes all night." };
  expect(await normal.verdicts(one)).toMatchObject([{ check: "phrases", spam: true }]);
  expect(await low.verdicts(one)).toMatchObject([{ check: "phrases", spam: false, reason: "online casino" }]);
  expect(
    await low.verdicts({ message: "online casino https://a.example https://b.example https://c.example" }),
  ).toMatchObject([
    { check: "links", spam: true },
    { check: "phrases", spam: true },
  ]);
  expect(await low.verdicts({ message: "look: [url=https://a.example]x[/url]" })).toMatchObject([
    { check: "links", spam: true },
  ]);
});

it("no reason and no place repeats a value that must not be stored as it is", async () => {
  const { verdicts } = await world(
    { words: ["casino"], senders: ["@bad.example"] },
    {
      settings: {
        spam: { words: ["casino"], senders: ["@bad.example"] },
        fields: { email: { store: "hash" }, note: { store: "drop" } },
      },
    },
  );
  expect(await verdicts({ email: "ann@bad.example", note: "casino", a: "b" })).toEqual([
    { check: "blocked_word", spam: true, score: 1 },
    { check: "blocked_sender", spam: true, score: 1 },
  ]);
});

it("wrong entries are refused with their place", async () => {
  const { b, form } = await world({});
  const wrong: [Lists, string][] = [
    [{ words: ["ok", "!!"] }, "settings.spam.words.1"],
    [{ words: ["x".repeat(101)] }, "settings.spam.words.0"],
    [{ senders: ["spam.example"] }, "settings.spam.senders.0"],
    [{ senders: ["@"] }, "settings.spam.senders.0"],
    [{ ips: ["203.0.113.0/33"] }, "settings.spam.ips.0"],
    [{ countries: ["de"] }, "settings.spam.countries.0"],
    [{ allow: { ips: ["nowhere"] } }, "settings.spam.allow.ips.0"],
    [{ words: Array(501).fill("a") }, "settings.spam.words"],
    [{ threshold: "medium" as "low" }, "settings.spam.threshold"],
  ];
  for (const [spam, param] of wrong) {
    await expect(b.forms.update(form.id, { settings: { spam } }), param).rejects.toMatchObject({
      code: "invalid_parameter",
      param,
    });
  }
});

it("a list of words is found in one pass, also where words begin and end alike", () => {
  const find = wordFinder(["a", "ab", "abc", "bc", "c d"]);
  expect(find("abc")).toEqual(["abc"]);
  expect(find("x ab, bc")).toEqual(["ab", "bc"]);
  expect(find("c\n d")).toEqual(["c d"]);
  expect(find("xabcx")).toEqual([]);
  expect(wordFinder([])("anything")).toEqual([]);
});

it("finds what a search for each word finds, for 2,000 random lists and texts", () => {
  let seed = 7;
  const random = (n: number): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % n;
  };
  const piece = (most: number): string => Array.from({ length: 1 + random(most) }, () => "ab "[random(3)]).join("");
  for (let n = 0; n < 2_000; n++) {
    const words = Array.from({ length: 1 + random(4) }, () => piece(4).trim().replace(/\s+/g, " ")).filter(
      (word) => word !== "",
    );
    const text = piece(20).replace(/\s+/g, " ");
    const wanted = [...new Set(words)].filter((word) => new RegExp(`(?<![ab])${word}(?![ab])`).test(text));
    const found = wordFinder(words)(text);
    expect(
      found.every((word) => wanted.includes(word)),
      `${text} ${words}`,
    ).toBe(true);
    expect(found.length, `${text} ${words}`).toBe(Math.min(3, wanted.length));
  }
});
