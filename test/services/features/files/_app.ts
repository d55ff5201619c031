// One process of the system under test: Express, SQLite, files in a directory or in S3. Settings come from the environment.
import { createServer } from "node:http";
import express from "express";
import { formBackend } from "../../../../adapters/express.ts";
import { fsBlob } from "../../../../src/drivers/blob/fs.ts";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createFormBackend } from "../../../../src/index.ts";

const { DIRECTORY: directory = "", S3, PLAN } = process.env;
const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the tests of uploads, long",
  storage: sqliteStorage({ path: `${directory}/forms.db` }),
  blob: S3 ? s3Blob(JSON.parse(S3)) : fsBlob({ dir: `${directory}/files` }),
  ...(PLAN && { plans: { unlimited: JSON.parse(PLAN) } }),
  rateLimit: false,
});
await backend.ready();
const form = await backend.forms.create({ name: "Uploads" });

// The most that the process ever held, sampled often enough that a peak of a tenth of a second is seen. V8 lets read buffers lie that
// nobody holds, and how many differs by its version: a bare node:http server that throws 1 GB away grows by 41 MB on Node 20 and by 77 on
// Node 24. They are taken away every 16 MB, so that what is left is ours.
const LITTER = 16 * 1024 * 1024;
let peak = 0;
let kept = Number.POSITIVE_INFINITY;
setInterval(() => {
  const { rss, external } = process.memoryUsage();
  peak = Math.max(peak, rss);
  kept = Math.min(kept, external);
  if (external < kept + LITTER) return;
  globalThis.gc?.();
  kept = process.memoryUsage().external;
}, 5);

process.on("message", async (question) => {
  if (question === "settle") {
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    peak = process.memoryUsage.rss();
  }
  const { submissions } = await backend.forms.get(form.id);
  process.send?.({ rss: process.memoryUsage.rss(), peak, submissions: submissions.all_time });
});

const server = createServer(express().use("/forms", formBackend(backend)));
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as { port: number }).port, form: form.id });
});
