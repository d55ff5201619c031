import { afterEach, describe, expect, it } from "vitest";
import type { InboxOptions } from "../../../../src/surfaces/inbox/index.ts";
import { type InboxHarness, inboxHarness } from "./_inbox.ts";

const origins = ["https://app.acme.example"];
let b: InboxHarness;
const mounted = (options: InboxOptions): InboxHarness => {
  b = inboxHarness(options);
  return b;
};
afterEach(() => b.close());

/** The style sheets of a page, one after the other. */
async function sheetOf(page: { text: string }): Promise<string> {
  const links = [...page.text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = ""]) => href);
  const sheets = await Promise.all(links.map(async (href) => (await b.stranger().get(href)).text));
  return sheets.join("\n");
}

describe("a theme by person", () => {
  it("is what the function says of each, and the sheet can be fetched from any process", async () => {
    mounted({
      theme: ({ name }) => ({
        primary: name === "Ann" ? "#aa0000" : "#00aa00",
        font: '"Inter", sans-serif',
        radius: 14,
        density: "compact",
        neutral: "#884400",
        favicon: "https://cdn.acme.example/icon.png",
      }),
    });
    const page = await b.as({}).get("/");
    const sheet = await sheetOf(page);
    expect(sheet).toContain('--font:"Inter", sans-serif,ui-sans-serif');
    expect(sheet).toContain("--r2:14px");
    expect(sheet).toContain("--size:13px");
    expect(page.text).toContain('<link rel="icon" href="https://cdn.acme.example/icon.png">');
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self' https://cdn.acme.example");
    expect(await sheetOf(await b.as({ id: "bo", name: "Bo" }).get("/"))).not.toBe(sheet);
    const href = /href="([^"]*look-[^"]+)"/.exec(page.text)?.[1] ?? "";
    const other = inboxHarness({});
    expect((await other.stranger().get(href)).text).toBe((await b.stranger().get(href)).text);
    await other.close();
  });

  it("holds no style but its own: an address that somebody made up is checked", async () => {
    mounted({});
    const at = (theme: object): string =>
      `/assets/look-${Buffer.from(JSON.stringify(theme)).toString("base64url")}.css`;
    expect((await b.stranger().get(at({ primary: "#123456" }))).status).toBe(200);
    for (const theme of [
      { primary: "red;}body{display:none" },
      { font: "a;}*{color:red" },
      { font: 'Arial", url(x)' },
      { font: "x".repeat(201) },
      { radius: 1e9 },
      { nonsense: 1 },
    ]) {
      expect([theme, (await b.stranger().get(at(theme))).status]).toEqual([theme, 404]);
    }
    expect((await b.stranger().get(`/assets/look-${"A".repeat(800)}.css`)).status).toBe(404);
    expect((await b.stranger().get("/assets/look-%7B.css")).status).toBe(404);
  });

  it("refuses a style sheet of a foreign origin, at the start and later", async () => {
    const css_url = "https://evil.example/a.css";
    expect(() => inboxHarness({ theme: { css_url } })).toThrow("option `theme.css_url` must be a path of your site");
    mounted({ embed: { origins }, theme: () => ({ css_url: "https://app.acme.example/own.css" }) });
    const page = await b.as({}).get("/");
    expect(page.text).toContain('<link rel="stylesheet" href="https://app.acme.example/own.css">');
    expect(page.headers.get("content-security-policy")).toContain("style-src 'self' https://app.acme.example");
    await b.close();
    mounted({ theme: () => ({ css_url }) });
    const refused = await b.as({}).get("/");
    expect([refused.status, refused.text.includes("evil")]).toEqual([500, false]);
  });

  it("names a member that a function got wrong, in the log alone", async () => {
    const said: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (text: string) => void said.push(text) };
    b = inboxHarness({ theme: () => ({ radius: 99 }) }, { logger });
    expect((await b.as({}).get("/")).status).toBe(500);
    expect(said.join("\n")).toMatch(/inbox: `theme` returned a value whose member `radius`/);
  });

  it("is that of the one team that somebody sees, without a function", async () => {
    mounted({ theme: { logo_url: "/host.svg" } });
    await b.teams.create({
      id: "acme",
      name: "Acme",
      base_url: "https://forms.acme.example",
      brand: { name: "Acme Forms", logo_url: "https://cdn.acme.example/logo.svg", primary: "#aa3300" },
    });
    await b.teams.create({ id: "other", name: "Other" });
    const page = await b.as({ team_ids: ["acme"] }).get("/");
    expect(page.text).toContain("Acme Forms</title>");
    expect(page.text).toContain('src="https://cdn.acme.example/logo.svg"');
    expect(page.text).not.toContain("/host.svg");
    expect(page.text).not.toContain('href="https://forms.acme.example');
    const both = await b.as({ team_ids: ["acme", "other"] }).get("/");
    expect(both.text).toContain("/host.svg");
    expect((await b.as({ team_ids: ["other"] }).get("/")).text).toContain("/host.svg");
  });
});

describe("hidden parts by person", () => {
  it("are neither linked nor reached by those from whom they are hidden", async () => {
    mounted({ hide: ({ role }) => (role === "agent" ? ["export", "stats"] : []) });
    const { id } = await b.forms.create({ name: "Contact" });
    const statuses = (role: "agent" | "admin") =>
      Promise.all(["export", "stats"].map(async (part) => (await b.as({ role }).get(`/f/${id}/${part}`)).status));
    expect(await statuses("admin")).toEqual([200, 200]);
    expect(await statuses("agent")).toEqual([404, 404]);
    expect((await b.as({ role: "agent" }).get(`/f/${id}`)).text).not.toContain(`/f/${id}/stats`);
  });
});

describe("the host's own words, links and columns", () => {
  it("replaces texts by their names, and refuses a name that is none", async () => {
    mounted({ texts: { en: { "page.all": "Every message" } } });
    expect((await b.as({}).get("/all")).text).toContain("<h1>Every message</h1>");
    expect(() => inboxHarness({ texts: { en: { "page.nothing": "x" } } })).toThrow("is no text of the inbox");
    expect(() => inboxHarness({ theme: { primary: "red" } })).toThrow("option `theme.primary` must be a color");
    expect(() => inboxHarness({ texts: { en: { "__proto__.x": "x" } } })).toThrow("is no text of the inbox");
  });

  it("may say them for each person, as text alone", async () => {
    mounted({ texts: ({ name }) => ({ en: { "page.all": `<b>Messages of ${name}</b>` } }) });
    expect((await b.as({}).get("/all")).text).toMatch(/&lt;b(>|&gt;)Messages of Ann/);
    expect((await b.as({ name: "Bo" }).get("/all")).text).toContain("Messages of Bo");
  });

  it("shows links with a submission, and refuses one into a script", async () => {
    mounted({
      links: ({ values }, { name }) => [
        { text: `<i>${name}</i>`, url: `https://crm.acme.example/?q=${encodeURIComponent(String(values["email"]))}` },
      ],
    });
    const form = await b.forms.create({ name: "Contact" });
    const { id } = await b.submit(form.id, { fields: { email: "ann@example.com" } });
    const { text } = await b.as({}).get(`/f/${form.id}/s/${id}`);
    expect(text).toContain('href="https://crm.acme.example/?q=ann%40example.com"');
    expect(text).toMatch(/&lt;i(>|&gt;)Ann/);
    await b.close();
    mounted({ links: () => [{ text: "x", url: "javascript:alert(1)" }] });
    const again = await b.forms.create({ name: "Contact" });
    const one = await b.submit(again.id, { fields: { email: "ann@example.com" } });
    expect((await b.as({}).get(`/f/${again.id}/s/${one.id}`)).status).toBe(500);
  });

  it("lists the columns that it names, each in one line", async () => {
    // The fifth one has no room.
    mounted({ columns: ({ name }) => (name === "Orders" ? ["number", "city", "a", "b", "text"] : []) });
    const orders = await b.forms.create({ name: "Orders" });
    await b.submit(orders.id, { fields: { name: "Ann", number: "A-17", city: "Oslo\nNorway", text: "Hello" } });
    const { text } = await b.as({}).get(`/f/${orders.id}`);
    expect(text).toMatch(/<bdi>A-17<\/bdi>/);
    expect(text).toContain("Oslo Norway");
    expect(text).not.toContain("Hello");
    const contact = await b.forms.create({ name: "Contact" });
    await b.submit(contact.id, { fields: { name: "Ann", text: "Hello" } });
    expect((await b.as({}).get(`/f/${contact.id}`)).text).toContain("Hello");
  });

  it("lists the columns of a form where the host names none, also beside an open submission and in its title", async () => {
    mounted({ columns: ({ name }) => (name === "Orders" ? ["number"] : []) });
    const form = await b.forms.create({ name: "Jobs", settings: { columns: ["position", "city"] } });
    const { id } = await b.submit(form.id, {
      fields: { name: "Ann", position: "Baker", city: "<b>Oslo", text: "Hello" },
    });
    await b.submit(form.id, { fields: { name: "Bo", text: "No position" } });
    const { text } = await b.as({}).get(`/f/${form.id}`);
    expect(text).toMatch(/<bdi>Baker<\/bdi>.*&lt;b&gt;Oslo/s);
    expect(text).not.toContain("Hello");
    // A submission without the first field keeps its sender's name.
    expect(text).toMatch(/<bdi>Bo<\/bdi>/);
    const open = (await b.as({}).get(`/f/${form.id}/s/${id}`)).text;
    expect(open).toMatch(/<title>Submission from Baker/);
    expect(open).toMatch(/class="beside".*<bdi>Baker<\/bdi>/s);
    await b.forms.update(form.id, { settings: { columns: [] } });
    expect((await b.as({}).get(`/f/${form.id}`)).text).toMatch(/<bdi>Ann<\/bdi>/);
    await expect(b.forms.update(form.id, { settings: { columns: Array(5).fill("a") } })).rejects.toMatchObject({
      code: "invalid_parameter",
    });
  });
});

describe("a frame without bars", () => {
  it("has the page alone, and tells the script whom to tell", async () => {
    mounted({ embed: { origins, chrome: false } });
    const form = await b.forms.create({ name: "Contact" });
    await b.submit(form.id, { fields: { text: "Hello" } });
    const framed = await b.as({}).get(`/f/${form.id}`, { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" });
    expect(framed.text).toContain('data-frame="https://app.acme.example"');
    expect(framed.text).toContain('data-unread="1"');
    expect(framed.text).not.toMatch(/<header class="top"|<details class="side"/);
    expect(framed.text).toContain("Hello");
    const whole = await b.as({}).get(`/f/${form.id}`);
    expect(whole.text).toContain('<header class="top"');
    expect(whole.text).not.toContain("data-frame");
  });
});
