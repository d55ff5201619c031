import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const base = "http://localhost:3000/forms/inbox";
/** 14 March 2026, 01:30 UTC: the month before is the shortest one. */
const NOW = Date.parse("2026-03-14T01:30:00Z");

async function world() {
  const backend = inboxHarness();
  await backend.clock.advance(NOW - backend.clock.now());
  const { id } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
  await backend.submit(id, { fields: { "Vor & <b>": "Gisela", message: "The boiler is broken" } });
  const { get } = backend.as({});
  const hrefs = (text: string, className: string): string[] => {
    const part = new RegExp(`class="${className}">(.*?)</(?:p|ul)>`).exec(text)?.[1] ?? "";
    return [...part.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&").replace(base, ""),
    );
  };
  return { backend, at: `/f/${id}`, id, get, hrefs };
}

describe("the search of a list", () => {
  it("has links to today, seven days and last month, which keep the words and mark the present one", async () => {
    const { at, get, hrefs } = await world();
    const { text } = await get(`${at}?words=boiler&created_before=2020-01-01`);
    expect(hrefs(text, "presets").map((href) => Object.fromEntries(new URL(href, base).searchParams))).toEqual([
      { words: "boiler", created_after: "2026-03-14" },
      { words: "boiler", created_after: "2026-03-08" },
      { words: "boiler", created_after: "2026-02-01", created_before: "2026-03-01" },
    ]);
    const today = await get(hrefs(text, "presets")[0] ?? "");
    expect(today.text).toContain("The boiler is broken");
    expect(today.text).toMatch(/aria-current="true">Today</);
  });

  it("offers the fields of the page by their names", async () => {
    const { at, get } = await world();
    const { text } = await get(at);
    expect(text).toContain(
      '<datalist id="fields"><option value="Vor &amp; &lt;b&gt;"></option><option value="message"></option></datalist>',
    );
  });

  it("says where else to look when it finds nothing, and each of these finds it", async () => {
    const { backend, at, id, get, hrefs } = await world();
    const quoted = await get(`${at}?words=${encodeURIComponent('"broken boiler"')}`);
    const [without = "", everywhere = "", withSpam = ""] = hrefs(quoted.text, "suggestions");
    expect((await get(without)).text).toContain("The boiler is broken");
    expect([everywhere.startsWith("/all?words="), withSpam.includes("status=all")]).toEqual([true, true]);
    const other = await backend.forms.create({ name: "Other" });
    await backend.submit(other.id, { fields: { message: "Chimney" } });
    const { data } = await backend.submissions.list(id, {});
    await backend.submissions.update(id, data[0]?.id ?? "", { spam: true });
    const elsewhere = hrefs((await get(`${at}?words=chimney`)).text, "suggestions");
    expect((await get(elsewhere[0] ?? "")).text).toContain("Chimney");
    const spam = hrefs((await get(`${at}?words=boiler`)).text, "suggestions");
    expect((await get(spam[1] ?? "")).text).toContain("The boiler is broken");
    // Nothing is left to suggest in all of all forms.
    expect(hrefs((await get("/all?words=nothing&status=all")).text, "suggestions")).toEqual([]);
  });

  it("says how many there are, and what the other places would find", async () => {
    const { backend, at, id, get } = await world();
    for (let i = 0; i < 59; i++) await backend.submit(id, { fields: { message: `Broken again, ${i}` } });
    const other = await backend.forms.create({ name: "Other", spam: { protection: false } });
    await backend.submit(other.id, { fields: { message: "The oven is broken" } });
    expect((await get(`${at}?words=boiler`)).text).toContain('role="status">1 hit</p>');
    expect((await get(`${at}?words=broken`)).text).toContain('role="status">60 hits</p>');
    const none = (await get(`${at}?words=${encodeURIComponent('"broken boiler"')}`)).text;
    expect(none).toMatch(/Search without quotes<\/a> <span class="muted">1 hit</);
    expect((await get(`${at}?words=oven`)).text).toMatch(/Search all forms<\/a> <span class="muted">1 hit</);
    expect((await get(`${at}?words=nowhere`)).text).toMatch(/Search spam as well<\/a> <span class="muted">0 hits</);
    // One who sees a single form learns nothing of others.
    const text = (await backend.as({ form_ids: [id] }).get(`${at}?words=oven`)).text;
    expect(text).toMatch(/Search all forms<\/a> <span class="muted">0 hits</);
  });
});
