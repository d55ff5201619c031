import type { App } from "./detect.ts";
import { hosts } from "./hosts.ts";

/** The folder of the store. */
export const STORE = ".form-backend";

/** The databases that a new backend may have. */
export type InitDatabase = "sqlite" | "postgres" | "mysql" | "libsql";

interface Stored {
  readonly title: string;
  /** The package to install; null if none. */
  readonly needs: string | null;
  /** The variable that names the server. */
  readonly variable: string | null;
  readonly imports: string;
  readonly before: string;
  readonly options: string;
}

/** Uploads next to a server's store need a place of their own. */
const FILES = `
  blob: fsBlob({ dir: "${STORE}/files" }),`;
const FS_BLOB = 'import { fsBlob } from "form-backend/drivers/blob/fs";\n';

export const databases: Readonly<Record<InitDatabase, Stored>> = {
  sqlite: {
    title: "a SQLite file",
    needs: null,
    variable: null,
    imports: 'import { sqliteStorage } from "form-backend/drivers/storage/sqlite";',
    before: `\nmkdirSync("${STORE}", { recursive: true, mode: 0o700 });\n`,
    options: `storage: sqliteStorage({ path: "${STORE}/forms.db" }),`,
  },
  postgres: {
    title: "PostgreSQL",
    needs: "pg",
    variable: "DATABASE_URL",
    imports: `${FS_BLOB}import { postgresStorage } from "form-backend/drivers/storage/postgres";`,
    before: "",
    options: `storage: postgresStorage({ connectionString: process.env.DATABASE_URL ?? "" }),${FILES}`,
  },
  mysql: {
    title: "MySQL or MariaDB",
    needs: "mysql2",
    variable: "DATABASE_URL",
    imports: `${FS_BLOB}import { mysqlStorage } from "form-backend/drivers/storage/mysql";`,
    before: "",
    options: `storage: mysqlStorage({ uri: process.env.DATABASE_URL ?? "" }),${FILES}`,
  },
  libsql: {
    title: "libSQL or Turso",
    needs: "@libsql/client",
    variable: "TURSO_DATABASE_URL",
    imports: `import { createClient } from "@libsql/client";
${FS_BLOB}import { libsqlStorage } from "form-backend/drivers/storage/libsql";`,
    before: `
mkdirSync("${STORE}", { recursive: true, mode: 0o700 });
const client = createClient({
  url: process.env.TURSO_DATABASE_URL ?? "file:${STORE}/libsql.db",
  authToken: process.env.TURSO_AUTH_TOKEN,
});
`,
    options: `storage: libsqlStorage({ client }),${FILES}`,
  },
};

const FORM = `backend.forms.ensure("contact", {
    name: "Contact",
    self_email_notification: { recipients: ["you@example.com"] },
  });
`;

/** The backend's own file. */
export function backendText(app: App, database: InitDatabase): string {
  if (app.host === "cloudflare") return workerText(app);
  const { port = 3000, evaluatesAgain = false } = hosts[app.host];
  const { imports, before, options } = databases[database];
  const ours = evaluatesAgain && app.typescript ? "{ createFormBackend, type FormBackend }" : "{ createFormBackend }";
  const nodes = [
    ...(before.includes("mkdirSync") ? ['import { mkdirSync } from "node:fs";'] : []),
    ...(app.host === "deno" ? ['import process from "node:process";'] : []),
  ];
  const made = `createFormBackend({
  baseUrl: process.env.FORM_BACKEND_URL ?? "http://localhost:${port}/forms",
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more; required in production
  ${options}
});
`;
  return `// The form backend: its options, and the forms that the app makes itself.
${nodes.map((line) => `${line}\n`).join("")}import ${ours} from "form-backend";
${imports}
${before}
${evaluatesAgain ? keptText(made, app.typescript) : `const backend = ${made}`}
export default backend;

/** The contact form: created at the first call, and found again later. */
export const contactForm = () =>
  ${FORM}`;
}

const keptText = (made: string, typescript: boolean): string => `const create = () => ${made}
// A development server evaluates this file again after each change; the backend stays.
const kept = globalThis${typescript ? " as { formBackend?: FormBackend }" : ""};
kept.formBackend ??= create();
const backend = kept.formBackend;
`;

const workerText = ({
  typescript,
}: App): string => `// The form backend: a Durable Object, whose SQLite is the store. In wrangler.jsonc:
// "compatibility_flags": ["nodejs_compat"],
// "durable_objects": { "bindings": [{ "name": "FORMS", "class_name": "Forms" }] },
// "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Forms"] }]
import { backendOf, formBackendObject, formBackendWorker } from "form-backend/cloudflare";
import { inbox } from "form-backend/inbox";
${
  typescript
    ? `
interface Env {
  /** npx wrangler secret put FORM_BACKEND_SECRET */
  readonly FORM_BACKEND_SECRET: string;
  readonly FORM_BACKEND_URL?: string;
  readonly FORMS: Parameters<typeof backendOf>[0];
}
`
    : ""
}
export class Forms extends formBackendObject((env${typescript ? ": Env" : ""}) => ({
  baseUrl: env.FORM_BACKEND_URL ?? "http://localhost:8787/forms",
  secret: env.FORM_BACKEND_SECRET,
  inbox: inbox({ apiKeys: true }),
})) {}

export const forms = formBackendWorker${typescript ? "<Env>" : ""}({ binding: "FORMS" });

/** The contact form: created at the first call, and found again later. */
export const contactForm = (env${typescript ? ": Env" : ""}) =>
  backendOf(env.FORMS).forms.ensure("contact", {
    name: "Contact",
    self_email_notification: { recipients: ["you@example.com"] },
  });
`;
