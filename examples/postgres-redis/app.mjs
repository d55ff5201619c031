// @ts-check
// One of the processes: it takes posts, and does its share of the work. It keeps nothing that another one would miss.
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { bullmqQueue } from "form-backend/drivers/queue/bullmq";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { formBackend } from "form-backend/node";
import { Redis } from "ioredis";
import pg from "pg";
import { databaseUrl, redisUrl, schema, secret, site } from "./settings.mjs";

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
pool.on("error", (error) => console.error(`database: ${error.message}`)); // an idle connection broke; the pool makes another
const redis = new Redis(redisUrl);
redis.on("error", () => {}); // the backend says it, once

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret,
  storage: postgresStorage({ pool, schema }),
  queue: bullmqQueue({ connection: redisUrl, prefix: schema }), // wakes the other process
  rateLimit: process.env.RATE_LIMIT === "off" ? false : { store: redis }, // one count for both
  trustProxy: ["127.0.0.0/8"], // the proxy's word for the visitor's address
  // The proof sends webhooks to this machine, and wants to see soon what a killed process had in hand.
  webhooks: process.env.PROOF ? { allowHttp: true, allowCidrs: ["127.0.0.0/8"], timeoutMs: 1_000 } : {},
});
await backend.ready();

const server = createServer(formBackend(backend));
server.listen(Number(process.env.APP_PORT), "127.0.0.1", () => process.send?.("ready"));

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  server.close();
  await backend.close(); // what runs ends, what waits is left for the others
  server.closeAllConnections();
  redis.disconnect();
  await pool.end();
  if (process.connected) process.disconnect();
}
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.once("disconnect", stop); // whoever started it is gone
