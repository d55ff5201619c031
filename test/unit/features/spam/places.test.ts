import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { HostSubmission, VerdictPlace } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { cpuTime } from "../../../_support/cpu.ts";
import { encryption } from "../../../_support/privacy.ts";

const textAt = ({ fields }: HostSubmission, { key, nth, start, end }: VerdictPlace): string | undefined =>
  fields.filter((field) => field.key === key)[nth]?.value.slice(start, end);

async function submitted(fields: { key: string; value: string }[], b = harness({ rateLimit: false })) {
  const { id } = await b.forms.create({ name: "A" });
  const submission = await b.submit(id, { fields });
  const [verdict] = submission.verdict;
  return {
    check: verdict?.check,
    places: verdict?.at ?? [],
    marked: (verdict?.at ?? []).map((at) => textAt(submission, at)),
  };
}
const message = (value: string) => submitted([{ key: "message", value }]);

describe("a verdict names the places in the text", () => {
  it.each([
    ["a phrase", "Cheap VIAGRA here, viagra there, viagrafalls nowhere", ["VIAGRA", "viagra"]],
    ["a phrase in full-width letters", "buy ｖｉａｇｒａ now", ["ｖｉａｇｒａ"]],
    ["a phrase with characters without width", "buy vi\u200Bag\u00ADra now", ["vi\u200Bag\u00ADra"]],
    ["a phrase over lines", "best   online \n\t casino!", ["online \n\t casino"]],
    ["after characters of two units", "😀😀 İİ viagra 😀", ["viagra"]],
    ["ligatures before it", "ﬁﬃ viagra", ["viagra"]],
    ["Cyrillic", "лучшее КАЗИНО онлайн бонус", ["КАЗИНО онлайн"]],
    [
      "several telling phrases, in the order of the text",
      "Act now and boost your  sales",
      ["Act now", "boost your  sales"],
    ],
    [
      "links",
      "Look http://a.example/x?y and www.b.example or HTTP://c.example cheap",
      ["http://a.example/x?y", "www.b.example", "HTTP://c.example"],
    ],
    ["markup of forums", "Nice site [url=http://a.example]cheap[/url]", ["[url=http://a.example"]],
  ])("of %s", async (_, text, marked) => {
    expect((await message(text)).marked).toEqual(marked);
  });

  it("of an injected header, and of no quoted one beside it", async () => {
    const { check, places } = await submitted([
      { key: "message", value: "I got this:\nFrom: bob@example.com" },
      { key: "email", value: "a@example.com\r\nBcc: b@example.com" },
    ]);
    expect([check, places]).toEqual(["header_injection", [{ key: "email", nth: 0, start: 14, end: 19 }]]);
  });

  it("by the name and the number of the value", async () => {
    const { places, marked } = await submitted([
      { key: "note", value: "Hello" },
      { key: "text", value: "x" },
      { key: "note", value: "cheap viagra" },
    ]);
    expect([places, marked]).toEqual([[{ key: "note", nth: 1, start: 6, end: 12 }], ["viagra"]]);
  });

  it("of 20 at most, and of none where a phrase spans two fields or a check speaks of no place", async () => {
    expect((await message("viagra ".repeat(50))).places).toHaveLength(20);
    const spanning = await submitted([
      { key: "a", value: "online" },
      { key: "b", value: "casino" },
    ]);
    expect([spanning.check, spanning.places]).toEqual(["phrases", []]);
    const b = harness({ rateLimit: false });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.submit(id, { fields: { a: "1" } })).verdict).toEqual([]);
  });
});

it("is kept with the submission, and goes to nobody over HTTP", async () => {
  for (const storage of [memoryStorage(), sqliteStorage({ path: ":memory:" })]) {
    const b = harness({ storage });
    const form = await b.forms.create({ name: "A" });
    const { id, verdict } = await b.submit(form.id, { fields: { message: "cheap viagra" } });
    expect(verdict[0]?.at).toEqual([{ key: "message", nth: 0, start: 6, end: 12 }]);
    expect((await b.submissions.get(form.id, id)).verdict).toEqual(verdict);
    expect((await b.call("GET", `/v1/forms/${form.id}/submissions/${id}`)).text).not.toContain('"at"');
  }
});

it("tells no place in a value that is not stored in clear", async () => {
  const b = harness({ encryption });
  const { id } = await b.forms.create({ name: "A", settings: { fields: { secret: { store: "encrypt" } } } });
  const { verdict } = await b.submit(id, { fields: { secret: "cheap viagra", message: "Hello" } });
  expect(verdict).toEqual([{ check: "phrases", spam: true, score: 0.9, reason: "viagra" }]);
});

it("looks at 20,000 characters of a post at most, however they are made", async () => {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "A" });
  const { verdict } = await b.submit(id, {
    fields: [
      { key: "a", value: `viagra ${"x".repeat(19_990)}` },
      { key: "b", value: "viagra viagra viagra" },
    ],
  });
  expect(verdict[0]?.at).toEqual([{ key: "a", nth: 0, start: 0, end: 6 }]);
  let worst = 0;
  for (const piece of ["ﬃ", "ﷺ", "\u200B", "é", "viagraviagra ", "<a ", "[url=", "www.", "\n", "😀"]) {
    const value = `online casino http://a www.b www.c ${piece.repeat(60_000 / Buffer.byteLength(piece))}`;
    const fields = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}`, value]));
    const started = cpuTime();
    await b.submit(id, { fields });
    worst = Math.max(worst, cpuTime() - started);
  }
  console.log(
    `places of spam: slowest of 10 hostile posts of 480 KB took ${worst.toFixed(0)} ms of CPU, storing included`,
  );
  expect(worst).toBeLessThan(5_000);
});
