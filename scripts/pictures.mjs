// The pictures of README and the documentation, from the running library: `npm run pictures`. They lie in docs/public.
// The sheet is drawn from the rows that a stand-in for Google's service has got, which the tests of that format use, too.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";
import { createTestBackend } from "form-backend/testing";
import { createJiti } from "jiti";
import { chromium } from "playwright-core";
import { wholeChromium } from "./chromium.mjs";

const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"];

const server = createServer((request, response) => handler(request, response)).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const { fileUrl, googleSheets, tab } = await createJiti(import.meta.url).import(
  "../test/_support/destinations/google.ts",
);
const google = await googleSheets(
  () => backend.clock.now(),
  [tab("Sheet1", [["submission_id", "created_at", "name", "email", "message"]])],
);
const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" };
const backend = createTestBackend({
  baseUrl: `${origin}/forms`,
  from: "Corner Bakery <forms@example.com>",
  rateLimit: false,
  inbox: inbox({ authenticate: () => ann }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  integrations: google.options,
});
const handler = formBackend(backend);

const visitors = [
  ["Mia Torres", "mia@example.com", "Do you deliver on Sundays? We are about 30 people."],
  ["Jonas Weber", "jonas@example.org", "Order 17: the cake was wonderful, thank you!"],
  ["Aiko Tanaka", "aiko@example.net", "Is the walnut bread free of milk?"],
  ["Sam Green", "sam@example.com", "Could you send me your price list for weddings?"],
  ["Lena Novak", "lena@example.org", "I left an umbrella at your shop this morning."],
  ["Omar Haddad", "omar@example.net", "Which of your cakes can be shipped?"],
  ["Ruth Adams", "ruth@example.com", "Please call me back about the order of last week."],
];
const contact = await backend.forms.create({
  name: "Contact",
  self_email_notification: { recipients: ["owner@example.com"] },
  after_submit: { page: { message: "We read every message and reply within a day.", mode: "system" } },
});
await backend.webhooks.create(contact.id, { url: fileUrl, format: "google_sheets", config: {} });
await backend.forms.create({ name: "Job applications" });
const news = await backend.forms.create({ name: "Newsletter" });
for (const [name, email] of visitors.slice(2, 5)) await backend.submit(news.id, { fields: { name, email } });
const ids = [];
for (const [name, email, message] of [...visitors].reverse()) {
  const { id } = await backend.submit(contact.id, { fields: { name, email, message } });
  ids.push(id);
  await backend.clock.advance(47 * 60_000);
}
for (const id of ids.slice(0, 3)) await backend.submissions.update(contact.id, id, { read: true });
await backend.tick();
const answered = ids[ids.length - 1];
await backend.messages.send(contact.id, answered, {
  text: "Dear Mia,\n\nwe do, from eight in the morning. For 30 people, please order by Friday noon.",
});
await backend.tick();
const form = readFileSync(new URL("../examples/express/form.html", import.meta.url), "utf8").replace(
  "{{endpoint}}",
  contact.endpoint,
);
const cell = (text) => `<td>${String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</td>`;
/** The rows as a spreadsheet shows them; times to the minute, and the beginning of an id. */
const sheet = () => {
  const [head = [], ...rows] = google.tabs[0].rows;
  const line = (cells, at) =>
    `<tr><th>${at + 1}</th>${cells.map((one, n) => cell(n === 0 && at > 0 ? `${one.slice(0, 10)}…` : n === 1 && at > 0 ? one.slice(0, 16) : one)).join("")}</tr>`;
  return `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><style>
    :root { color-scheme: light dark; } body { margin: 0; background: light-dark(#fff, #16181d); color: light-dark(#202124, #e8eaed); font: 13px/1.5 system-ui, sans-serif; }
    table { border-collapse: collapse; width: 100%; } td, th { border: 1px solid light-dark(#d0d4d9, #3c4043); padding: 4px 8px; text-align: start; white-space: nowrap; overflow: hidden; max-width: 22rem; text-overflow: ellipsis; }
    th { background: light-dark(#f1f3f4, #22252b); font-weight: 400; text-align: center; } tr:nth-child(2) td { font-weight: 600; }
    </style><table><tr><th></th>${["A", "B", "C", "D", "E"].map((name) => `<th>${name}</th>`).join("")}</tr>${[head, ...rows].map(line).join("")}</table></html>`;
};

const browser = await chromium.launch({ executablePath: wholeChromium, args });
for (const colorScheme of ["light", "dark"]) {
  const shown = await browser.newContext({
    viewport: { width: 560, height: 420 },
    colorScheme,
    deviceScaleFactor: 1.5,
  });
  const page = await shown.newPage();
  const save = (name, options = {}) =>
    page.screenshot({ path: `docs/public/${name}${colorScheme === "dark" ? "-dark" : ""}.png`, ...options });

  // Of the guide, not of README.
  const inGuide = save;

  await page.setViewportSize({ width: 640, height: 720 });
  await page.setContent(form);
  await page.fill('[name="name"]', "Mia Torres");
  await page.fill('[name="email"]', "mia@example.com");
  await page.fill('[name="message"]', "Do you deliver on Sundays? We are about 30 people.");
  await save("form");

  await page.setViewportSize({ width: 1280, height: 640 });
  await page.goto(`${origin}/forms/inbox`);
  await page.getByRole("link", { name: "Contact" }).first().click();
  await page.waitForLoadState("load");
  await save("inbox");

  await page.goto(`${origin}/forms/inbox/f/${contact.id}/s/${answered}`);
  await page.waitForLoadState("load");
  await save("answer");

  await page.setViewportSize({ width: 1280, height: 272 });
  // Not under the content policy of the inbox.
  await page.goto("about:blank");
  await page.setContent(sheet());
  await save("sheet");

  await page.setViewportSize({ width: 1000, height: 760 });
  await page.goto(`${origin}/forms/inbox/f/${contact.id}/webhooks`);
  await inGuide("destinations");
  await page.setViewportSize({ width: 1000, height: 640 });
  await page.goto(`${origin}/forms/inbox/f/${contact.id}/webhooks/new?kind=airtable`);
  await inGuide("destination");
  await shown.close();
}
await browser.close();
server.close();
server.closeAllConnections();
await backend.close();
await google.close();
