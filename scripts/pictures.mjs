// The pictures of README and the documentation, from the running library: `npm run pictures`. They lie in docs/public.
// Tables are drawn from what stand-ins for the services have got.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";
import { createTestBackend } from "form-backend/testing";
import { chromium } from "playwright-core";
import { wholeChromium } from "./chromium.mjs";
import { services, tablePage } from "./pictures-results.mjs";

const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"];

const server = createServer((request, response) => handler(request, response)).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const service = await services(() => backend.clock.now());
const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" };
const backend = createTestBackend({
  baseUrl: `${origin}/forms`,
  from: "Corner Bakery <forms@example.com>",
  rateLimit: false,
  inbox: inbox({ authenticate: () => ann }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  integrations: service.options,
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
await backend.webhooks.create(contact.id, service.sheet);
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
// Of another team, so that the inbox above does not list these forms.
const team = await backend.teams.create({ name: "Shop" });
for (const webhook of service.webhooks) {
  const orders = await backend.forms.create({ name: "Orders", team_id: team.id });
  await backend.webhooks.create(orders.id, webhook);
  for (const [name, email, message] of visitors.slice(0, 5)) {
    await backend.submit(orders.id, { fields: { name, email, message } });
    await backend.clock.advance(60_000);
  }
}
await backend.tick();
const [sheet, ...results] = service.tables();

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
  await page.setContent(tablePage(sheet));
  await save("sheet");

  // Of the guide, not of README: in one color.
  const inGuide = save;
  if (colorScheme === "light") {
    for (const result of results) {
      await page.setContent(tablePage(result));
      await page.setViewportSize({ width: 900, height: await page.evaluate(() => document.body.offsetHeight) });
      await inGuide(`result-${result.name}`);
    }
    await page.setViewportSize({ width: 1000, height: 760 });
    await page.goto(`${origin}/forms/inbox/f/${contact.id}/webhooks`);
    await inGuide("destinations");
    await page.setViewportSize({ width: 1000, height: 640 });
    await page.goto(`${origin}/forms/inbox/f/${contact.id}/webhooks/new?kind=airtable`);
    await inGuide("destination");
  }
  await shown.close();
}
await browser.close();
server.close();
server.closeAllConnections();
await backend.close();
await service.close();
