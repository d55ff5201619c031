import type { App } from "./detect.ts";
import { hosts } from "./hosts.ts";
import { backendText, type InitDatabase, STORE } from "./module.ts";
import { moduleOf, type NewFile, routesOf } from "./routes.ts";

/** What goes into files that exist. */
export interface Mount {
  readonly place: string;
  /** For the beginning of the file. */
  readonly imports: readonly string[];
  readonly code: string;
}

/** The files that an app needs. */
export function filesOf(app: App, database: InitDatabase): NewFile[] {
  // It holds secrets and personal data, so it never becomes part of a repository.
  const ignore = { path: `${STORE}/.gitignore`, text: "*\n" };
  return [
    { path: moduleOf(app), text: backendText(app, database) },
    ...routesOf(app),
    ...(app.host === "cloudflare" ? [] : [ignore]),
  ];
}

/** Without SQLite of its own, Node needs a package for a SQLite file. */
export function needsPackage({ host }: App, database: InitDatabase): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld = major < 22 || (major === 22 && minor < 13);
  return database === "sqlite" && isOld && host !== "cloudflare";
}

/** The lines for files that exist. Null where the new files are enough. */
export function mountOf(app: App, database: InitDatabase): Mount | null {
  const { host, typescript, esm, nitro, folder } = app;
  const { adapter, mount, place, imports = [] } = hosts[host];
  if (nitro !== null) {
    const lines = [
      ...(nitro === 3 ? [`serverDir: "${folder || "."}", // if it names none`] : []),
      // Nitro does not see the native part of the package.
      ...(needsPackage(app, database)
        ? [
            `externals: { traceInclude: ["./node_modules/@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node"] },`,
          ]
        : []),
    ];
    return lines.length === 0 ? null : { place: "in nitro.config.ts", imports: [], code: lines.join("\n") };
  }
  if (host === "next") return null;
  const own = imports.map(([what, from]) => `import ${what} from "${from}";`);
  if (host === "nuxt" || hosts[host].evaluatesAgain) return { place, imports: own, code: mount };
  if (host === "cloudflare")
    return {
      place,
      imports: [`import { Forms, forms } from "./form-backend${typescript ? "" : ".mjs"}";`],
      code: mount,
    };
  // Bun and Deno import a file by its own name.
  const end = host === "bun" || host === "deno" ? "ts" : typescript ? "js" : "mjs";
  const file = `./form-backend.${end}`;
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
