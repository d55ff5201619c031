import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type FormBackend } from "../../../../src/index.ts";
import { hosts } from "../../../../src/surfaces/cli/init/hosts.ts";
import { createProgram } from "../../../../src/surfaces/cli/program.ts";
import { withStore } from "../../../../src/surfaces/cli/store.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** Every file of a folder, by its path. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => statSync(join(folder, file)).isFile())
      .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  );

/** A copy of an app of this repository, without its own backend. */
function copy(app: string, without: readonly string[] = []): string {
  const cwd = temporaryDirectory();
  cpSync(join(ROOT, app), cwd, { recursive: true, filter: (file) => !/node_modules|\.output|\.nuxt/.test(file) });
  for (const file of without) rmSync(join(cwd, file), { recursive: true });
  return cwd;
}

const STORE = ".form-backend/.gitignore";
const nitroFiles = ["form-backend.ts", "routes/forms/[...].ts", "plugins/form-backend.ts"];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
/** The native part of SQLite's package, which Nitro does not see, where Node has no SQLite of its own. */
const native =
  major > 22 || (major === 22 && minor >= 13)
    ? null
    : /^externals: .*"\.\/node_modules\/@photostructure\/sqlite\/prebuilds/m;

describe("init", () => {
  it.each<[string, string, string[], string[], RegExp | null]>([
    ["examples/express", "express", [], ["form-backend.mjs"], /^app\.use\("\/forms", formBackend\(backend\)\);$/],
    ["examples/saas", "express", [], ["form-backend.mjs"], /^app\.use/],
    ["examples/koa", "koa", [], ["form-backend.mjs"], /^app\.use\(formBackend\(backend\)\);$/],
    ["examples/fastify", "fastify", [], ["form-backend.mjs"], /^app\.register\(.*prefix: "\/forms"/],
    ["examples/hono", "hono", [], ["form-backend.mjs"], /^app\.all\("\/forms\/\*"/],
    [
      "examples/nuxt",
      "nuxt",
      ["server/form-backend.ts"],
      ["server/form-backend.ts"],
      /^modules: \["form-backend\/nuxt"\]/,
    ],
    ["examples/nitro", "nitro", nitroFiles, nitroFiles, /^serverDir: "\."/],
    [
      "test/system/hosts/fixtures/nitro2",
      "nitro",
      ["routes/forms"],
      ["form-backend.ts", "routes/forms/[...].ts", "routes/forms/index.ts", "plugins/form-backend.ts"],
      native,
    ],
  ])(
    "finds the host of %s: %s, prints its mount, and writes new files only",
    async (app, host, without, files, mount) => {
      const cwd = copy(app, without);
      const before = contents(cwd);
      const { code, out } = await terminal({ cwd }).cli("init", "--yes", "--json", "--no-try");
      expect(code).toBe(0);
      const [result] = parsed(out) as { host: string; written: string[]; mount: { code: string } | null }[];
      expect({ host: result?.host, written: [...(result?.written ?? [])].sort() }).toEqual({
        host,
        written: [...files, STORE].sort(),
      });
      if (mount) expect(result?.mount?.code).toMatch(mount);
      else expect(result?.mount).toBeNull();
      const after = contents(cwd);
      expect(Object.keys(after).sort()).toEqual([...Object.keys(before), ...files, STORE].sort());
      expect(after).toMatchObject(before);

      const again = await terminal({ cwd }).cli("init", "--json");
      expect(again.code).toBe(0);
      expect(parsed(again.out)).toMatchObject([{ written: [], kept: expect.arrayContaining(files) }]);
      expect(contents(cwd)).toEqual(after);
    },
  );

  it("names no part of SQLite's package in a build for another database", async () => {
    const cwd = copy("test/system/hosts/fixtures/nitro2", ["routes/forms"]);
    const { out } = await terminal({ cwd }).cli("init", "--yes", "--json", "--no-try", "--database", "postgres");
    expect(parsed(out)).toMatchObject([{ host: "nitro", mount: null }]);
  });

  it.each([
    [["--database", "mysql"], {}, 'mysqlStorage({ uri: process.env.DATABASE_URL ?? "" })', "npm install mysql2"],
    [["--database", "postgres"], {}, "postgresStorage({ connectionString", "npm install pg"],
    [[], { DATABASE_URL: "mariadb://u:p@h/d" }, "form-backend/drivers/storage/mysql", "npm install mysql2"],
    [["--database", "sqlite"], { DATABASE_URL: "mysql://u:p@h/d" }, "sqliteStorage({ path:", "contactForm"],
  ])("writes a module with the store of %j and %j", async (args, env, text, said) => {
    const cwd = copy("examples/express");
    const { code, out, err } = await terminal({ cwd, env }).cli("init", "--yes", ...args);
    expect(code).toBe(0);
    expect(out + err).toContain(said);
    const written = readFileSync(join(cwd, "form-backend.mjs"), "utf8");
    expect(written).toContain(text);
    expect(written).not.toContain("u:p@h");
    expect(written.includes("mkdirSync")).toBe(text.startsWith("sqlite"));
  });

  it("leaves a file of the app as it is, and says so", async () => {
    const cwd = copy("examples/express");
    writeFileSync(join(cwd, "form-backend.mjs"), "// mine\n");
    const { code, err } = await terminal({ cwd }).cli("init", "--yes");
    expect(code).toBe(0);
    expect(err).toContain("form-backend.mjs already exists and is not changed.");
    expect(readFileSync(join(cwd, "form-backend.mjs"), "utf8")).toBe("// mine\n");
  });

  it("prints the mount alone on standard output, for the kind of modules that the app has", async () => {
    const cwd = temporaryDirectory();
    const app = (manifest: object) => writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
    app({ dependencies: { express: "5" } });
    const commonjs = await terminal({ cwd }).cli("init", "--yes");
    expect(commonjs.out).toBe(
      'const { formBackend } = require("form-backend/express");\n' +
        'const { default: backend, contactForm } = require("./form-backend.mjs");\n\n' +
        'app.use("/forms", formBackend(backend));\n',
    );
    expect(commonjs.err).toContain("npm install form-backend");
    app({ dependencies: { koa: "3", "form-backend": "1" }, devDependencies: { typescript: "5" } });
    const typescript = await terminal({ cwd }).cli("init", "--yes");
    expect(typescript.out).toContain('import backend, { contactForm } from "./form-backend.js";');
    expect(typescript.err).not.toContain("npm install form-backend\n");
  });

  it("asks on a terminal, and writes nothing after a no", async () => {
    const cwd = copy("examples/koa");
    const before = contents(cwd);
    const tty = { in: true, out: true, err: true };
    const { code, err } = await terminal({ cwd, tty, ask: async () => "n" }).cli("init");
    expect({ code, after: contents(cwd) }).toEqual({ code: 1, after: before });
    expect(err).toContain("Nothing was changed.");
    expect((await terminal({ cwd, tty, ask: async () => "y" }).cli("init")).code).toBe(0);
  });

  it("without a terminal ends with 1, names the option, and writes nothing", async () => {
    const cwd = copy("examples/koa");
    const before = contents(cwd);
    const { code, err } = await terminal({ cwd }).cli("init");
    expect({ code, after: contents(cwd) }).toEqual({ code: 1, after: before });
    expect(err).toContain("--yes");
  });

  it.each([
    [null, /no package\.json here.*`form-backend dev`/],
    ["{", /not valid JSON/],
    ["{}", /Choose one with --host: nuxt, next, sveltekit, astro/],
    ['{"dependencies":{"express":"5","fastify":"5"}}', /several frameworks.*express, fastify/],
  ])("package.json %j ends with 1 and says what to do", async (text, message) => {
    const cwd = temporaryDirectory();
    if (text !== null) writeFileSync(join(cwd, "package.json"), text);
    const { code, err } = await terminal({ cwd }).cli("init", "--yes");
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(Object.keys(contents(cwd))).toEqual(text === null ? [] : ["package.json"]);
  });

  it.each<[string, Record<string, string>, string, string[], RegExp | null]>([
    ["next", { next: "16", react: "19" }, "lib/form-backend.mjs", ["app/forms/[...path]/route.js"], null],
    [
      "sveltekit",
      { "@sveltejs/kit": "2", typescript: "5" },
      "src/lib/form-backend.ts",
      ["src/routes/forms/[...path]/+server.ts"],
      /ORIGIN/,
    ],
    ["astro", { astro: "5" }, "src/form-backend.mjs", ["src/pages/forms/[...path].js"], /allowedDomains/],
    [
      "react-router",
      { "@react-router/dev": "7", express: "5", typescript: "5" },
      "app/form-backend.server.ts",
      ["app/routes/forms.ts"],
      /route\("forms/,
    ],
    [
      "nestjs",
      { "@nestjs/core": "11", "@nestjs/platform-express": "11", typescript: "5" },
      "form-backend.ts",
      [],
      /^app\.use\("\/forms"/,
    ],
    ["fastify", { "@nestjs/core": "11", "@nestjs/platform-fastify": "11" }, "form-backend.mjs", [], /^app\.register/],
    ["h3", { h3: "1" }, "form-backend.mjs", [], /^router\.use/],
    ["cloudflare", { wrangler: "4", hono: "4" }, "form-backend.mjs", [], /forms\.fetch\(request, env, ctx\)/],
    ["bun", { "@types/bun": "1" }, "form-backend.ts", [], /requestIP/],
    ["express", { "@types/bun": "1", express: "5" }, "form-backend.mjs", [], /^app\.use/],
    ["deno", { "@types/deno": "2" }, "form-backend.ts", [], /remoteAddr/],
  ])("finds %s by %j", async (host, dependencies, module, routes, mount) => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies }));
    const { code, out } = await terminal({ cwd }).cli("init", "--yes", "--json", "--no-try");
    expect(code).toBe(0);
    const [result] = parsed(out) as { host: string; written: string[]; mount: { code: string } | null }[];
    expect(result?.host).toBe(host);
    expect(result?.written.filter((file) => file !== STORE).sort()).toEqual([module, ...routes].sort());
    if (mount) expect(result?.mount?.code).toMatch(mount);
    else expect(result?.mount).toBeNull();
  });

  it("finds Deno without a package.json, and Next.js's folder src", async () => {
    const deno = temporaryDirectory();
    writeFileSync(join(deno, "deno.json"), "{}");
    expect(parsed((await terminal({ cwd: deno }).cli("init", "--yes", "--json", "--no-try")).out)).toMatchObject([
      { host: "deno" },
    ]);
    const next = temporaryDirectory();
    mkdirSync(join(next, "src/app"), { recursive: true });
    writeFileSync(join(next, "package.json"), '{"dependencies":{"next":"16","typescript":"5"}}');
    expect(parsed((await terminal({ cwd: next }).cli("init", "--yes", "--json", "--no-try")).out)).toMatchObject([
      { written: ["src/lib/form-backend.ts", "src/app/forms/[...path]/route.ts", STORE] },
    ]);
    expect(readFileSync(join(next, "src/lib/form-backend.ts"), "utf8")).toContain("kept.formBackend ??= create();");
  });

  it.each<[object, Record<string, string>, string]>([
    [{ devDependencies: { wrangler: "4" } }, { "wrangler.jsonc": '{\n  "main": "src/index.js"\n}' }, "src/"],
    [{ devDependencies: { wrangler: "4" } }, { "wrangler.toml": 'main = "./src/index.js"' }, "src/"],
    [{ dependencies: { express: "5" }, main: "src/app.js" }, {}, "src/"],
    [{ dependencies: { express: "5" }, main: "index.js", scripts: { start: "node src/app.js" } }, {}, "src/"],
    [{ dependencies: { express: "5" }, main: "index.js", scripts: { start: "node ." } }, {}, ""],
  ])("puts the module of a JavaScript app beside its main file: %j and %j", async (manifest, files, folder) => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, "src"));
    for (const [name, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) }))
      writeFileSync(join(cwd, name), text);
    const { out } = await terminal({ cwd }).cli("init", "--yes", "--json", "--no-try");
    const [result] = parsed(out) as { written: string[] }[];
    expect(result?.written.filter((file) => file !== STORE)).toEqual([`${folder}form-backend.mjs`]);
  });

  it("makes a folder for the store that no other user can read, and so does the module", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), '{"dependencies":{"express":"5"}}');
    expect((await terminal({ cwd }).cli("init", "--yes", "--no-try", "--database", "libsql")).code).toBe(0);
    expect(statSync(join(cwd, ".form-backend")).mode & 0o077).toBe(0);
    expect(readFileSync(join(cwd, "form-backend.mjs"), "utf8")).toContain("recursive: true, mode: 0o700 });");
  });

  it.each([
    [{ pg: "8" }, {}, "postgres"],
    [{ postgres: "3" }, {}, "postgres"],
    [{ mysql2: "3" }, {}, "mysql"],
    [{ "@libsql/client": "0.18" }, {}, "libsql"],
    [{ pg: "8" }, { TURSO_DATABASE_URL: "libsql://x" }, "libsql"],
    [{ pg: "8" }, { DATABASE_URL: "mysql://u:p@h/d" }, "mysql"],
    [{}, {}, "sqlite"],
  ])("takes the database of the app's packages %j and of %j", async (packages, env, database) => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies: { express: "5", ...packages } }));
    const { out } = await terminal({ cwd, env }).cli("init", "--yes", "--json", "--no-try");
    expect(parsed(out)).toMatchObject([{ database }]);
  });

  it("asks three questions at most: host, database, files; and then posts to the form and shows what came", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), '{"dependencies":{"express":"5","koa":"3","pg":"8"}}');
    const asked: string[] = [];
    const answers = ["koa", "n", "y"];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return answers[asked.length - 1] ?? "";
    };
    const tty = { in: true, out: true, err: true };
    const { code, err } = await terminal({ cwd, tty, ask }).cli("init");
    expect({ code, asked }).toEqual({
      code: 0,
      asked: [
        expect.stringContaining("express, koa"),
        expect.stringContaining("PostgreSQL"),
        expect.stringMatching(/^Write form-backend\.mjs/),
      ],
    });
    expect(err).toMatch(/found in its inbox:\n {2}name {5}Ann\n {2}email {4}ann@example\.com\n {2}message {2}Hello/);
    // Its next start finds the form, and nothing else.
    const backend = createFormBackend({
      baseUrl: "http://localhost:3000/forms",
      storage: sqliteStorage({ path: join(cwd, ".form-backend/forms.db") }),
      work: false,
    });
    const { data } = await backend.forms.list();
    expect(data.map(({ name }) => name)).toEqual(["Contact"]);
    expect((await backend.submissions.list(data[0]?.id ?? "")).data).toEqual([]);
    await backend.close();
    const again = await terminal({ cwd, tty, ask: async () => "koa" }).cli("init");
    expect([again.code, again.err.includes("found in its inbox")]).toEqual([0, false]);
  });

  it("posts no test to a form that the store has already", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), '{"dependencies":{"express":"5"}}');
    const shell = terminal({ cwd });
    const store = <T>(use: (backend: FormBackend) => Promise<T>) => withStore(shell.io, { create: true }, use);
    const form = await store(async (backend) => {
      const made = await backend.forms.ensure("contact", {
        name: "Contact",
        self_email_notification: { recipients: ["owner@example.com"] },
      });
      await backend.webhooks.create(made.id, { url: "https://crm.example.com/in" });
      return made;
    });
    const { code, err } = await shell.cli("init", "--yes");
    expect(code).toBe(0);
    expect(err).toMatch(/could not be tried yet: the store has a form "contact" already/);
    expect(await store((backend) => backend.jobs.list({ form_id: form.id }))).toEqual([]);
  });

  it("says why the form can't be tried yet, and has done its work", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "package.json"), '{"dependencies":{"express":"5"}}');
    const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const { code, err } = await terminal({ cwd, env }).cli("init", "--yes");
    expect(code).toBe(0);
    expect(err).toMatch(/could not be tried yet: FORM_BACKEND_SECRET is not set/);
    expect(readFileSync(join(cwd, "form-backend.mjs"), "utf8")).toContain("postgresStorage");
  });

  it("offers every host that it knows", () => {
    const init = createProgram(terminal().io).commands.find((command) => command.name() === "init");
    const option = init?.options.find(({ long }) => long === "--host");
    expect([...(option?.argChoices ?? [])].sort()).toEqual(Object.keys(hosts).sort());
  });
});
