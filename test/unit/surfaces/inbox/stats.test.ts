import { describe, expect, it } from "vitest";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { inboxHarness } from "./_inbox.ts";

const HOSTILE = `"><script>alert(1)</script>`;
const DAY = 86_400_000;

/** A form with submissions of three days, some of them spam, and with views and starts. */
async function seen(options: Parameters<typeof inboxHarness>[0] = {}) {
  const clock = testClock(Date.parse("2026-03-10T12:00:00.000Z"));
  const backend = inboxHarness(options, { rateLimit: false, clock });
  const { id } = await backend.forms.create({ name: "Contact" });
  await backend.forms.update(id, { settings: { statistics: { enabled: true }, labels: { size: "T-shirt size" } } });
  const ping = (what: string) => backend.call("POST", `/f/${id}/${what}`, { key: null });
  for (let day = 0; day < 3; day++) {
    for (let i = 0; i <= day; i++) {
      await Promise.all([ping("view"), ping("view"), ping("start"), backend.clock.advance(20_000)]);
      await backend.submit(id, { fields: { size: ["M", "M", HOSTILE][i] ?? "", note: `${day} ${i}` } });
      await backend.clock.advance(1_000);
    }
    await backend.submit(id, { fields: { message: `Best casino bonus [url=http://a.example]${day}[/url]` } });
    await backend.clock.advance(DAY);
  }
  return { backend, id, ann: backend.as({}), at: `/f/${id}/stats` };
}

/** A line of a table with bars: its name, share and number. */
const lineOf = (text: string, key: string): string[] =>
  (new RegExp(`<tr data-key="${key}"[^>]*>(.*?)</tr>`).exec(text)?.[1] ?? "")
    .replace(/<svg.*?<\/svg>/g, "")
    .split(/<[^>]+>/)
    .filter(Boolean);

const countsOf = (text: string): string[][] =>
  [...(/<table class="counts">(.*?)<\/table>/s.exec(text)?.[1] ?? "").matchAll(/<tr>(.*?)<\/tr>/g)].map(
    ([, row = ""]) => row.split(/<[^>]+>/).filter(Boolean),
  );

describe("statistics", () => {
  it("show what the API counts, in every bucket, with pictures that say their sums", async () => {
    const { ann, at, backend, id } = await seen();
    const { text } = await ann.get(at);
    const { json } = await backend.call("GET", `/v1/forms/${id}/statistics?from=2026-03-01T00:00:00Z`);
    const { views, starts, submissions, spam } = json.totals;
    expect({ views, starts, submissions, spam }).toEqual({ views: 12, starts: 6, submissions: 6, spam: 3 });
    expect(text).toContain("<dt>Submissions</dt><dd>6</dd>");
    expect(text).toContain("<dt>Started of viewed</dt><dd>50%</dd>");
    expect(text).toContain("<dt>Sent of started</dt><dd>100%</dd>");
    expect(text).toContain("<dt>All time</dt><dd>9</dd>");
    const [head, today, ...days] = countsOf(text);
    expect(head).toEqual(["From", "Submissions", "Spam", "Views", "Starts"]);
    expect(today).toEqual(["13 Mar", "0", "0", "0", "0"]);
    expect(days.slice(0, 4)).toEqual([
      ["12 Mar", "3", "1", "6", "3"],
      ["11 Mar", "2", "1", "4", "2"],
      ["10 Mar", "1", "1", "2", "1"],
      ["9 Mar", "0", "0", "0", "0"],
    ]);
    expect(days).toHaveLength(29);
    expect(text).toContain('aria-label="Submissions, Spam: 9 in all, at most 4 at a time"');
    expect(text.match(/<g><title>/g)).toHaveLength(90);
    expect(text).not.toMatch(/ style=/);
  });

  it("count by week and by month, in the time zone of the person", async () => {
    const { backend, at } = await seen();
    const weeks = countsOf((await backend.as({}).get(`${at}?interval=week`)).text);
    expect(weeks).toHaveLength(27);
    expect(weeks[1]?.slice(0, 3)).toEqual(["9 Mar", "6", "3"]);
    const months = await backend.as({ time_zone: "Pacific/Kiritimati" }).get(`${at}?interval=month`);
    expect(countsOf(months.text)).toHaveLength(13);
    expect(countsOf(months.text)[1]?.slice(0, 3)).toEqual(["Mar 2026", "6", "3"]);
    expect(months.text).toContain("Time zone: Pacific/Kiritimati");
    expect((await backend.as({}).get(`${at}?interval=century`)).status).toBe(200);
  });

  it("tell why spam was spam, where from, and how often a value came", async () => {
    const { ann, at, backend, id } = await seen();
    const byHand = (await backend.submissions.list(id)).data[0]?.id ?? "";
    await backend.submissions.update(id, byHand, { spam: true });
    const { text } = await ann.get(`${at}?by=size`);
    expect(lineOf(text, "links")).toEqual(["Links", "75%", "3"]);
    expect(lineOf(text, "")).toEqual(["Moved by a person", "25%", "1"]);
    expect(lineOf(text, "unknown")).toEqual(["Unknown", "100%", "5"]);
    expect(lineOf(text, "M")).toEqual(["M", "100%", "5"]);
    expect(text).toContain(">T-shirt size</option>");
    expect(text).not.toContain(HOSTILE);
    const notes = (await ann.get(`${at}?by=note`)).text;
    expect(lineOf(notes, "0 0")).toEqual(["0 0", "20%", "1"]);
    expect((await ann.get(`${at}?by=${encodeURIComponent(HOSTILE)}`)).text).not.toContain("<script>alert");
  });

  it("offer and count no field that is encrypted or kept back", async () => {
    const { backend, at, id } = await seen({ redact: { fields: ["no*"], value: () => "" } });
    const ann = backend.as({});
    expect((await ann.get(at)).text).not.toContain('<option value="note"');
    const refused = await ann.get(`${at}?by=note`);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("keeps back");
    await backend.forms.update(id, { settings: { fields: { size: { store: "hash" } } } });
    expect((await ann.get(at)).text).not.toContain('<option value="size"');
    expect((await ann.get(`${at}?by=size`)).status).toBe(400);
  });

  it("are calm without a submission, and say that views are not counted", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Empty" });
    const { status, text } = await backend.as({ role: "viewer" }).get(`/f/${id}/stats`);
    expect(status).toBe(200);
    expect(text).toContain("Views and starts are not counted");
    expect(text).toContain("No spam in this time.");
    expect(text).not.toContain("<dt>Views</dt>");
  });

  it("are no part of an inbox that hides them", async () => {
    const backend = inboxHarness({ hide: ["stats"] });
    const { id } = await backend.forms.create({ name: "Contact" });
    expect((await backend.as({}).get(`/f/${id}/stats`)).status).toBe(404);
    expect((await backend.as({}).get(`/f/${id}`)).text).not.toContain("/stats");
  });
});
