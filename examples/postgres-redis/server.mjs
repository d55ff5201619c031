// @ts-check
// Two app processes behind a proxy, on one database and one Redis.
import { createFormBackend } from "form-backend";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import pg from "pg";
import { startApps } from "./apps.mjs";
import { createProxy } from "./proxy.mjs";
import { databaseUrl, port, schema, secret, site } from "./settings.mjs";

const ports = process.env.APP_PORTS?.split(",").map(Number) ?? [port + 1, port + 2];
const apps = await startApps(ports);

// A process that only sets things up: `work: false` leaves the deliveries to the others.
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
const admin = createFormBackend({
  baseUrl: `${site}/forms`,
  secret,
  storage: postgresStorage({ pool, schema }),
  work: false,
});
const [known] = (await admin.forms.list()).data;
const form = known ?? (await admin.forms.create({ name: "Contact" }));
await admin.close();
await pool.end();

const proxy = createProxy(ports).listen(port, () => {
  console.log(`Listening on ${site}, in front of the ports ${ports.join(" and ")}`);
  console.log(`Try: curl ${form.endpoint} -d name=Ann -d message=Hello`);
});

async function stop() {
  proxy.close();
  await apps.stop();
  proxy.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
