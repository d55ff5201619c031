// A process with teams, over SQLite or PostgreSQL and a folder of files, that a parent calls, kills and starts again.
import { createHash } from "node:crypto";
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
  async importFrom(form, path) {
    const { imported, failed } = await backend.submissions.import(form, jsonRows(createReadStream(path)), {
      source: "elsewhere",
    });
    return { imported, failed: failed.length };
  },
  /** The values of a form's submissions, in an order of their own. */
  async digest(form) {
    const found = [];
    for (let cursor; ; ) {
      const page = await backend.submissions.list(form, { limit: 100, ...(cursor && { cursor }) });
      for (const { created_at, fields, spam, read } of page.data)
        found.push(
          createHash("sha256")
            .update(JSON.stringify([created_at, fields, spam, read]))
            .digest("base64"),
        );
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    return { count: found.length, digest: createHash("sha256").update(found.sort().join()).digest("hex") };
  },
};

process.on("message", async ({ id, call, args }) => {
  const [group, method] = call.split(".");
  try {
    const result = await (own[call]?.(...args) ?? (method ? backend[group][method](...args) : backend[group](...args)));
    process.send({ id, result });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on("disconnect", () => process.exit(1));
createServer(formBackend(backend)).listen(Number(PORT), "127.0.0.1", function () {
  process.send({ ready: this.address().port });
});
