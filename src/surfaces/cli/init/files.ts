import type { App } from "./detect.ts";
import { hosts } from "./hosts.ts";

/** A new file, by its path from the app's folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** What goes into files that exist. */
export interface Mount {
  readonly place: string;
  /** For the beginning of the file. */
  readonly imports: readonly string[];
  readonly code: string;
}

const STORE = ".form-backend";

/** The databases that a new backend may have. */
export type InitDatabase = "sqlite" | "postgres" | "mysql";

interface Stored {
  readonly imports: string;
  readonly before: string;
  readonly options: string;
}

/** Uploads next to a server's store need a place of their own. */
const FILES = `
  blob: fsBlob({ dir: "${STORE}/files" }),`;
const FS_BLOB = 'import { fsBlob } from "form-backend/drivers/blob/fs";\n';

const stores: Record<InitDatabase, Stored> = {
  sqlite: {
    imports: 'import { sqliteStorage } from "form-backend/drivers/storage/sqlite";',
    before: `\nmkdirSync("${STORE}", { recursive: true });\n`,
    options: `storage: sqliteStorage({ path: "${STORE}/forms.db" }),`,
  },
  postgres: {
    imports: `${FS_BLOB}import { postgresStorage } from "form-backend/drivers/storage/postgres";`,
    before: "",
    options: `storage: postgresStorage({ connectionString: process.env.DATABASE_URL ?? "" }),${FILES}`,
  },
  mysql: {
    imports: `${FS_BLOB}import { mysqlStorage } from "form-backend/drivers/storage/mysql";`,
    before: "",
    options: `storage: mysqlStorage({ uri: process.env.DATABASE_URL ?? "" }),${FILES}`,
  },
};

const backendText = (database: InitDatabase): string => {
  const { imports, before, options } = stores[database];
  return `// The form backend: its options, and the forms that the app makes itself.
${before === "" ? "" : 'import { mkdirSync } from "node:fs";\n'}import { createFormBackend } from "form-backend";
${imports}
${before}
const backend = createFormBackend({
  baseUrl: process.env.FORM_BACKEND_URL ?? "http://localhost:3000/forms",
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more; required in production
  ${options}
});

export default backend;

/** The contact form: created at the first call, and found again later. */
export const contactForm = () =>
  backend.forms.ensure("contact", {
    name: "Contact",
    self_email_notification: { recipients: ["you@example.com"] },
  });
`;
};

const routeText = `import { formBackend } from "form-backend/nitro";
import backend from "../../form-backend";

export default formBackend(backend);
`;

const pluginText = (
  version: 2 | 3,
): string => `import type { NitroApp } from "${version === 2 ? "nitropack" : "nitro/types"}";

// Starts the workers with the server, and ends them with it.
export default (nitro: NitroApp) => {
  const starting = import("../form-backend").then(async ({ default: backend }) => {
    await backend.ready();
    return backend;
  });
  starting.catch((error) => console.error(error));
  nitro.hooks.hook("close", async () => (await starting).close());
};
`;

/** The files that an app needs. */
export function filesOf({ typescript, folder, nitro }: App, database: InitDatabase): NewFile[] {
  const module = { path: `${folder}form-backend.${typescript ? "ts" : "mjs"}`, text: backendText(database) };
  // It holds secrets and personal data, so it never becomes part of a repository.
  const ignore = { path: `${STORE}/.gitignore`, text: "*\n" };
  if (nitro === null) return [module, ignore];
  const routes = nitro === 2 ? ["[...]", "index"] : ["[...]"];
  return [
    module,
    ...routes.map((name) => ({ path: `${folder}routes/forms/${name}.ts`, text: routeText })),
    { path: `${folder}plugins/form-backend.ts`, text: pluginText(nitro) },
    ignore,
  ];
}

/** The lines for files that exist. Null where the new files are enough. */
export function mountOf({ host, typescript, esm, nitro, folder }: App): Mount | null {
  const { adapter, mount, place, imports = [] } = hosts[host];
  if (nitro === 2) return null;
  if (nitro === 3) {
    return {
      place: "in nitro.config.ts, if it names no serverDir",
      imports: [],
      code: `serverDir: "${folder || "."}",`,
    };
  }
  if (host === "nuxt") return { place, imports: [], code: mount };
  const file = typescript ? "./form-backend.js" : "./form-backend.mjs";
  const names: (readonly [string, string])[] = [
    ...(adapter === null ? [] : [["{ formBackend }", `form-backend/${adapter}`] as const]),
    ...imports,
  ];
  const lines = esm
    ? [
        ...names.map(([what, from]) => `import ${what} from "${from}";`),
        `import backend, { contactForm } from "${file}";`,
      ]
    : [
        ...names.map(([what, from]) => `const ${what} = require("${from}");`),
        `const { default: backend, contactForm } = require("${file}");`,
      ];
  if (host === "node") lines.push("const forms = formBackend(backend);");
  return { place, imports: lines, code: mount };
}
