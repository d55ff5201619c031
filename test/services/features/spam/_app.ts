import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { createFormBackend } from "../../../../src/index.ts";

/** A process that does what its parent tells it: `{ id, call: "forms.create", args }` is answered by `{ id, result }`. */
const { POSTGRES_URL: connectionString = "", MYSQL_URL: uri = "", SCHEMA: schema, PREFIX: prefix = "" } = process.env;
const backend = createFormBackend({
  baseUrl: "http://localhost/forms",
  secret: "a secret for the tests of learning, 32 long",
  storage: schema ? postgresStorage({ connectionString, schema }) : mysqlStorage({ uri, prefix }),
  rateLimit: false,
  work: false,
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});
const submit = backend.submit as (...args: unknown[]) => Promise<unknown>;
const groups = backend as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>;
process.on("message", async ({ id, call, args }: { id: number; call: string; args: unknown[] }) => {
  const [group = "", method = ""] = call.split(".");
  const result = await (group === "submit" ? submit(...args) : groups[group]?.[method]?.(...args));
  process.send?.({ id, result });
});
await backend.ready();
process.send?.({ ready: true });
