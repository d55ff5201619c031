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
    expect((await ann.get(`/f/${form.id}/install`)).text).toContain("name=&quot;message&quot;");
    for (let i = 0; i < 3; i++)
      await backend.submit(form.id, { fields: { cake: "Sacher", "Customer-Mail": "a@b.example", 'x"><script>': "1" } });
    const { text } = await ann.get(`/f/${form.id}/install`);
    for (const said of [
      "Which cake?",
      "name=&quot;Customer-Mail&quot; type=&quot;email&quot; required",
      "form.field(&quot;cake&quot;)",
      "v-bind=&quot;form.field(&#39;cake&#39;)&quot;",
      `form-id=&quot;${form.id}&quot;`,
      "--data-urlencode &quot;cake=Ann&quot;",
    ])
      expect(text, said).toContain(said);
    expect(text).not.toContain("script&gt;&quot;");
    expect(text).not.toContain("name=&quot;message&quot;");
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
