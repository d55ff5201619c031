import { describe, expect, it } from "vitest";
import { installFields, snippetsOf } from "../../../../src/surfaces/inbox/install/snippets.ts";
import { inboxHarness } from "./_inbox.ts";

describe("install", () => {
  it("offers snippets with the fields that came, and with usual ones before", async () => {
    const backend = inboxHarness({}, { rateLimit: false });
    const form = await backend.forms.create({
      name: "Orders",
      validation: { rules: [{ field: "Customer-Mail", checks: [{ type: "required" }, { type: "email" }] }] },
      settings: { labels: { cake: "Which cake?" } },
    });
    const ann = backend.as({});
    expect((await ann.get(`/f/${form.id}/install?code=curl`)).text).toContain("&quot;message=Hello&quot;");
    for (let i = 0; i < 3; i++)
      await backend.submit(form.id, { fields: { cake: "Sacher", "Customer-Mail": "a@b.example", 'x"><script>': "1" } });
    for (const [code, ...all] of [
      ["html", "name=&quot;Customer-Mail&quot; type=&quot;email&quot;", "name=&quot;_gotcha&quot;"],
      ["react", "Which cake?", "form.field(&quot;cake&quot;)"],
      ["vue", "v-bind=&quot;form.field(&#39;cake&#39;)&quot;"],
      ["nuxt", `form-id=&quot;${form.id}&quot;`],
      ["curl", "--data-urlencode &quot;cake=Ann&quot;"],
    ] as const) {
      const { text } = await ann.get(`/f/${form.id}/install?code=${code}`);
      for (const said of all) expect(text, said).toContain(said);
      expect(text).not.toContain("script&gt;&quot;");
      expect(text).not.toContain("name=&quot;message&quot;");
    }
  });

  it("shows one snippet at a time, HTML first, and HTML for a name that it does not know", async () => {
    const backend = inboxHarness({}, { rateLimit: false });
    const form = await backend.forms.create({ name: "Orders" });
    const ann = backend.as({});
    const current = async (query: string) => {
      const { text } = await ann.get(`/f/${form.id}/install${query}`);
      expect(text.match(/<pre class="code"/g)).toHaveLength(2);
      const [, tab] =
        /<a href="[^"]*" aria-current="page">([^<]*)<\/a>/.exec(text.split('aria-label="Code"')[1] ?? "") ?? [];
      return tab;
    };
    expect(await current("")).toBe("HTML");
    expect(await current("?code=vue")).toBe("Vue");
    for (const name of ["constructor", "<b>", "markup"]) {
      expect(await current(`?code=${encodeURIComponent(name)}`)).toBe("HTML");
    }
  });

  it("writes no text of others into code", async () => {
    const backend = inboxHarness();
    const form = await backend.forms.create({
      name: "x",
      settings: { labels: { a: "{{constructor}}", b: "`$(id)`", c: "Ünïcode" } },
    });
    const names = ["a", "b", "c", "__proto__", "constructor", "$(id)", "a'b", "ünï", "x y", ""];
    const data = names.map((name) => ({ name, count: 1 }));
    const fields = installFields(form, { data, submissions_read: 1 });
    expect(fields.map(({ name, label }) => [name, label])).toEqual([
      ["a", "A"],
      ["b", "B"],
      ["c", "Ünïcode"],
      ["constructor", "Constructor"],
    ]);
    const rare = installFields(form, {
      data: [
        { name: "often", count: 100 },
        { name: "once", count: 1 },
      ],
      submissions_read: 100,
    });
    expect(rare.map(({ name }) => name)).toEqual(["often"]);
    expect(Object.values(snippetsOf(form, fields, false)).join()).not.toMatch(/\$\(|`|\{\{/);
  });

  it("says if a page may post, which sites did, and if the form is paused", async () => {
    const backend = inboxHarness({}, { rateLimit: false });
    const form = await backend.forms.create({ name: "Orders" });
    await backend.submit(form.id, { fields: { a: "1" }, referer: "https://old.example/contact" });
    await backend.forms.update(form.id, { active: false, allowed_origins: ["https://shop.example"] });
    const asked = async (page: string) =>
      (await backend.as({}).get(`/f/${form.id}/install?page=${encodeURIComponent(page)}`)).text;
    expect(await asked("shop.example/contact")).toContain("Pages of https://shop.example may post.");
    expect(await asked("https://evil.example")).toContain("Pages of https://evil.example may not post.");
    expect(await asked("javascript:alert(1)")).toContain("This is not the address of a page.");
    const { text } = await backend.as({}).get(`/f/${form.id}/install`);
    expect(text).toContain("<bdi>https://old.example</bdi> – may no longer post");
    expect(text).toContain("The form is paused");
    for (const [state, said] of [
      ["ok", "accepts submissions"],
      ["none", "does not respond"],
      ["502", "with status 502"],
      ["<b>", ""],
    ] as const)
      expect((await backend.as({}).get(`/f/${form.id}/install?endpoint=${encodeURIComponent(state)}`)).text).toContain(
        said,
      );
  });
});
