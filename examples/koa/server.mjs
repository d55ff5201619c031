// @ts-check
// A newsletter sign-up in Koa, with a thank-you page of the site's own.
import { mkdirSync, readFileSync } from "node:fs";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/koa";
import Koa from "koa";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more, kept over restarts; a must in production
  storage: sqliteStorage({ path: `${data}/forms.db` }),
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));

// The form is made on the first start and found on the next ones.
const [known] = (await backend.forms.list()).data;
const form =
  known ??
  (await backend.forms.create({
    name: "Newsletter",
    after_submit: { redirect: { success_url: `${site}/thanks` } },
    validation: { rules: [{ field: "email", checks: [{ type: "required" }, { type: "email" }] }] },
  }));
const page = readFileSync(new URL("form.html", import.meta.url), "utf8").replace("{{endpoint}}", form.endpoint);
const thanks = page.replace(
  /<main>[\s\S]*<\/main>/,
  "<main><h1>Thank you!</h1><p>The next letter is yours.</p></main>",
);

const app = new Koa();
app.use(formBackend(backend)); // before body parsers; it takes the paths below that of `baseUrl`
app.use((ctx) => {
  if (ctx.path === "/") ctx.body = page;
  if (ctx.path === "/thanks") ctx.body = thanks;
});

const server = app.listen(port, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close(); // what runs ends, what waits is left for the next start
  server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
