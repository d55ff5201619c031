// A process with teams, over SQLite or PostgreSQL and a folder of files, that a parent calls, kills and starts again.
import { createReadStream, createWriteStream } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createFormBackend } from "form-backend";
import { fsBlob } from "form-backend/drivers/blob/fs";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { jsonRows } from "form-backend/import";
import { formBackend } from "form-backend/node";
import { fastClock } from "./clock.mjs";

const { DATABASE, SCHEMA, FILES, PORT = "0", SINCE = "0", AHEAD = "0" } = process.env;
const AT_ONCE = 48;

const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${PORT}/forms`,
  secret: "a secret for the fault tests, 32 long",
  storage: SCHEMA ? postgresStorage({ connectionString: DATABASE, schema: SCHEMA }) : sqliteStorage({ path: DATABASE }),
  blob: fsBlob({ dir: FILES }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  rateLimit: false,
  mailer: { send: async () => ({}), verify: async () => {}, close: async () => {} },
  from: "Forms <forms@host.example>",
  // A line for each post would be most of the output.
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
  clock: fastClock(1, Number(SINCE) || Date.now(), Number(AHEAD)),
});
await backend.ready();

const own = {
  /** Posts `count` submissions to a form, each fourth with a file. */
  async seed(form, count, domain) {
    let next = 0;
    const one = async () => {
      for (let n = next++; n < count; n = next++) {
        const fields = { n: String(n), email: `a${n}@${domain}`, message: `Message ${n} of ${domain}` };
        const content = new TextEncoder().encode(`bytes ${n} of ${domain}`);
        const files = [{ key: "cv", name: `${n}.txt`, content, mime_type: "text/plain" }];
        await backend.submit(form, { fields, ...(n % 4 === 0 && { files }) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  },
  async exportTo(team, path) {
    await pipeline(Readable.fromWeb(await backend.teams.export(team)), createWriteStream(path));
  },
  /** Works on every so manieth submission of a form, in every way that an export has. */
  async work(form, every) {
    const ids = [];
    for (let cursor; ; ) {
      const page = await backend.submissions.list(form, { limit: 100, ...(cursor && { cursor }) });
      ids.push(...page.data.map(({ id }) => id));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    const ann = { id: "7", name: "Ann" };
    const acts = {
      note: (id) => backend.submissions.addNote(form, id, { text: `Called ${id}`, author: ann }),
      label: (id) => backend.submissions.update(form, id, { labels: ["urgent"], assignee: ann }),
      done: (id) => backend.submissions.update(form, id, { state: "done", read: true }),
      snooze: (id) => backend.submissions.update(form, id, { snoozed_until: "2099-01-01T00:00:00.000Z" }),
      spam: (id) => backend.submissions.update(form, id, { spam: true }),
      trash: (id) => backend.submissions.delete(form, id, { trash: true }),
      answer: (id) => backend.messages.send(form, id, { text: `An answer to ${id}` }),
    };
    const done = Object.fromEntries(Object.keys(acts).map((name) => [name, 0]));
    const chosen = ids.filter((_, n) => n % every === 0);
    let next = 0;
    const one = async () => {
      for (let n = next++; n < chosen.length; n = next++) {
        const name = Object.keys(acts)[n % Object.keys(acts).length];
        // A team may answer so often in an hour.
        if (name === "answer" && done.answer >= 90) continue;
        done[name]++;
        await acts[name](chosen[n]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return done;
  },
  /** The numbers that a form's overview reads from counters. */
  async counters(team_id) {
    const { data } = await backend.forms.overview({ team_id, days: 90 });
    // The days count what did not come as spam, and an export does not say when it was marked.
    return data.map(({ id: _, created_at: __, webhooks: ___, days: ____, ...counters }) => counters);
  },
  /** The most memory that the process ever had, in MB. */
  memory: async () => Math.round(process.resourceUsage().maxRSS / 1_024),
  async importFrom(form, path, folder) {
    const { imported, failed } = await backend.submissions.import(form, jsonRows(createReadStream(path), { folder }), {
      source: "elsewhere",
    });
    return { imported, failed: failed.length };
  },
};

process.on("message", async ({ id, call, args }) => {
  const [group, method] = call.split(".");
  try {
    const result = await (own[call]?.(...args) ?? (method ? backend[group][method](...args) : backend[group](...args)));
    process.send({ id, result });
  } catch (error) {
    const because = error.cause ? `, because of ${error.cause.stack ?? error.cause}` : "";
    process.send({ id, error: `${call}: ${error}${because}` });
  }
});
process.on("disconnect", () => process.exit(1));
createServer(formBackend(backend)).listen(Number(PORT), "127.0.0.1", function () {
  process.send({ ready: this.address().port });
});
