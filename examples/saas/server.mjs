// @ts-check
// Forms as a product under a name of its own: two customers, each a team with a plan, a brand and a host, who see only what is theirs.
import { mkdirSync } from "node:fs";
import express from "express";
import { ApiError, createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/express";
import { inbox } from "form-backend/inbox";
import { dashboardPage, formPage, inboxPage, loginPage } from "./pages.mjs";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

/** Who is logged in, by the host's own session. A real product has a login here; this one asks nobody for a password. */
const customerOf = (/** @type {string | null | undefined} */ cookie) =>
  /(?:^|; )customer=(bakery|studio)(?:;|$)/.exec(cookie ?? "")?.[1];

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more, kept over restarts; a must in production
  storage: sqliteStorage({ path: `${data}/forms.db` }),
  // What customers see of the product: in mails, keys, headers and the API's document.
  brand: { name: "Letterbox", keyPrefix: "lb_live_", signatureHeader: "X-Letterbox-Signature" },
  from: "Letterbox <forms@letterbox.example>",
  plans: {
    starter: { forms: 1, webhooks: false, redirect: false, submissions_per_month: 50, retention_days: 30 },
    business: { forms: 100, webhooks_per_form: 3 },
  },
  defaultPlan: "starter",
  // The customers' inbox, in a frame of this site's own pages and of no others, which have the menu. Each customer has the look of
  // the own brand. Storage is the product's own business.
  inbox: inbox({ embed: { origins: [site], chrome: false }, hide: ["new", "settings.storage"] }),
  // The management API for the customers' own pages: their session, and their team only.
  authenticate(request) {
    // A cookie also comes with requests that other websites cause.
    if (request.headers.get("sec-fetch-site") !== "same-origin") return null;
    const id = customerOf(request.headers.get("cookie"));
    return id ? { auth: "host", id, team_ids: [id], scopes: "all", form_ids: null } : null;
  },
});

// Their visitors see the customer's name, color and host. Names below `localhost` are this machine in every browser.
const customers = [
  { id: "bakery", name: "Corner Bakery", primary: "#9a3412" },
  { id: "studio", name: "North Studio", primary: "#0f766e" },
];
for (const { id, name, primary } of customers) {
  await backend.teams.ensure(id, { name });
  await backend.teams.update(id, {
    base_url: `http://${id}.localhost:${port}/forms`,
    brand: { name, primary },
    // Pages after a post are light or dark as the visitor's device is.
    defaults: { after_submit: { page: { mode: "system" } } },
  });
}

const app = express();
app.use("/forms", formBackend(backend));
app.use(express.urlencoded());

app.get("/", async (req, res) => {
  const id = customerOf(req.headers.cookie);
  res.send(id ? await dashboard(id) : loginPage(customers));
});
const session = /** @type {const} */ ({ httpOnly: true, sameSite: "lax" });
app.post("/login", (req, res) => res.cookie("customer", req.body.customer, session).redirect("/"));
app.post("/logout", async (req, res) => {
  const id = customerOf(req.headers.cookie);
  if (id) await backend.inbox.endSessions({ user_id: id });
  res.clearCookie("customer", session).redirect("/");
});

// Everything below `/my` belongs to the customer who is logged in.
const my = express.Router();
app.use("/my", my);
my.use((req, res, next) => {
  res.locals.customer = customerOf(req.headers.cookie);
  if (res.locals.customer) next();
  else res.redirect("/");
});
my.post("/forms", async (req, res) => {
  const { customer } = res.locals;
  try {
    await backend.forms.create({ team_id: customer, name: req.body.name });
    res.redirect("/");
  } catch (error) {
    // What a plan refuses, it says in a sentence that customers may read.
    if (!(error instanceof ApiError)) throw error;
    res.status(error.status).send(await dashboard(customer, error.message));
  }
});
my.get("/inbox", async (_req, res) => {
  const { customer } = res.locals;
  const team = await backend.teams.get(customer);
  // The link works once: each view of the page has its own.
  const { url } = await backend.inbox.link({
    embed: true,
    team_ids: [customer],
    role: "editor",
    user: { id: customer, name: team.name },
  });
  res.set("cache-control", "no-store").send(inboxPage(team, url));
});
my.post("/plan", async (req, res) => {
  await backend.teams.update(res.locals.customer, { plan: req.body.plan });
  res.redirect("/");
});
my.post("/key", async (_req, res) => {
  const { customer } = res.locals;
  const { key } = await backend.keys.create({ team_id: customer, name: "dashboard", scopes: ["submissions:read"] });
  res.send(await dashboard(customer, `Your new key, shown this once: ${key}`));
});

async function dashboard(/** @type {string} */ id, notice = "") {
  const [team, { data: forms }] = await Promise.all([backend.teams.get(id), backend.forms.list({ team_id: id })]);
  return dashboardPage(team, forms, notice);
}

// The public page with a form, which a real customer has on a website of their own.
app.get("/try/:form", async (req, res) => {
  const form = await backend.forms.get(req.params.form).catch(() => null);
  if (form) res.send(formPage(form));
  else res.sendStatus(404);
});

const server = app.listen(port, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close(); // what runs ends, what waits is left for the next start
  server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
