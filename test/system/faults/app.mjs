// One process of the system under test: Express, SQLite with full durability, PostgreSQL or MariaDB, real SMTP and real webhooks. Settings
// come from the environment, so that the parent can kill it and start it again on the same data.
import express from "express";
import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { mysqlStorage } from "form-backend/drivers/storage/mysql";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/express";
import { rawInbound } from "form-backend/inbound";
import { fastClock } from "./clock.mjs";

const {
  DATABASE,
  SCHEMA,
  PREFIX,
  PORT,
  SMTP_PORT,
  INBOUND_SECRET,
  SPEED = "1",
  SINCE = "0",
  AHEAD = "0",
} = process.env;

const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${PORT}/forms`,
  secret: "a secret for the fault tests, 32 long",
  storage: SCHEMA
    ? postgresStorage({ connectionString: DATABASE, schema: SCHEMA })
    : PREFIX
      ? mysqlStorage({ uri: DATABASE, prefix: PREFIX })
      : sqliteStorage({ path: DATABASE }),
  mailer: smtpMailer({ host: "127.0.0.1", port: Number(SMTP_PORT), secure: false, pool: true, maxConnections: 8 }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  ...(INBOUND_SECRET && {
    inbound: { domain: "in.example.com", providers: [rawInbound({ secret: INBOUND_SECRET })] },
  }),
  rateLimit: false,
  clock: fastClock(Number(SPEED), Number(SINCE), Number(AHEAD)),
});
await backend.ready();
process.on("message", async ({ call, args }) => {
  const [group, method] = call.split(".");
  process.send({ result: await backend[group][method](...args) });
});
express()
  .use("/forms", formBackend(backend))
  .listen(Number(PORT), "127.0.0.1", () => process.send({ ready: true }));
