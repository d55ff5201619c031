// An inbox on a real port: 30 forms, one of them with 60 submissions and a delivery for each.
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { listen, report } from "./report.mjs";

const FORMS = 30;
const SUBMISSIONS = 60;
/** Requests for each page before the time that counts, while V8 compiles the server's code. */
const WARM = 20;

const receiver = createServer((req, res) => req.resume().on("end", () => res.end()));
const hook = `${await listen(receiver)}/hook`;
// As a site has one: browsers ask the root for the icon of the tab, and Lighthouse counts an answer of 404.
const server = createServer((req, res) => (req.url === "/favicon.ico" ? res.writeHead(204).end() : handler(req, res)));
const base = `${await listen(server)}/forms`;
const backend = createFormBackend({
  baseUrl: base,
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  storage: await ourStorage(process.env),
  rateLimit: false,
  work: false,
  inbox: inbox({ authenticate: () => ({ id: "ann", name: "Ann", team_ids: ["default"], role: "admin" }) }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
});
const handler = formBackend(backend);

const sentences = [
  "We are about 30 people and would like to eat together after the ceremony.",
  "Could you send me your price list, and tell me how long in advance I have to order?",
  "My order of last week arrived one day late, and one of the boxes was open.",
  "Is the walnut bread free of milk, and can I freeze it?",
  "I left an umbrella at your shop this morning, a blue one with a wooden handle.",
  "Please call me back after five, because I can't take calls at work.",
  "Thank you for the wonderful cake: everybody asked me where it came from!",
];

/** From one sentence to six, as people write. */
const messageOf = (i) =>
  Array.from({ length: 1 + ((i * 5) % 6) }, (_, n) => sentences[(i + n * 3) % sentences.length]).join(" ");

const names = ["Mia Torres", "Jonas Weber", "Aiko Tanaka", "Sam Green", "Lena Novak", "Omar Haddad", "Ruth Adams"];

async function fill() {
  for (let i = 1; i < FORMS; i++) await backend.forms.create({ name: `Landing page ${i}` });
  const form = await backend.forms.create({ name: "Contact", self_email_notification: { enabled: false } });
  await backend.webhooks.create(form.id, { url: hook });
  const ids = [];
  for (let i = 0; i < SUBMISSIONS; i++) {
    const name = names[i % names.length];
    const fields = {
      name,
      email: `${name.toLowerCase().replace(" ", ".")}.${i}@example.com`,
      phone: `+49 30 12345${i}`,
      company: `Company ${i} Ltd`,
      message: messageOf(i),
    };
    ids.push((await backend.submit(form.id, { fields, referer: "https://example.com/contact" })).id);
  }
  await backend.tick();
  return { form: `${base}/inbox/f/${form.id}`, id: ids[SUBMISSIONS / 2] };
}

const { form, id } = await fill();
const pages = {
  forms: `${base}/inbox`,
  "inbox list": form,
  "one submission": `${form}/s/${id}`,
  statistics: `${form}/stats`,
  settings: `${form}/settings`,
  deliveries: `${form}/deliveries`,
};
for (const [name, url] of Object.entries(pages)) {
  for (let i = 0; i < WARM; i++) {
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`${name} was answered with ${response.status}`);
    await response.text();
  }
}
report(
  { pages },
  {
    async stop() {
      for (const each of [server, receiver]) {
        each.close();
        each.closeAllConnections();
      }
      await backend.close();
    },
  },
);
