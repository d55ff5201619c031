import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { entries, manifest } from "./_entries.ts";

/** A language of the inbox. */
const LANGUAGE = /^[a-z]{2}-[A-Z0-9]{8}\.js$/;

describe("the package", () => {
  it("was built before the tests", () => {
    expect(existsSync("dist/index.js"), "run `npm run build` first; `npm run test:system` does").toBe(true);
  });

  it("has a file and types behind every export", () => {
    const missing = entries
      .flatMap(({ file }) => [file, file.replace(/\.js$/, ".d.ts")])
      .filter((file) => !existsSync(file));
    expect(missing).toEqual([]);
  });

  it("exports what it exported before, name by name", async () => {
    const names: Record<string, string[]> = {};
    for (const { name, file } of entries) names[name] = Object.keys(await import(join(process.cwd(), file))).sort();
    expect(names).toMatchSnapshot();
  });

  it("works as built, not only from source", async () => {
    const { createTestBackend } = (await import(
      join(process.cwd(), "dist/testing.js")
    )) as typeof import("../../../src/surfaces/testing/index.ts");
    const { ApiError } = (await import(join(process.cwd(), "dist/index.js"))) as typeof import("../../../src/index.ts");
    const backend = createTestBackend();
    const form = await backend.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
    await backend.submit(form.id, { fields: { a: "1" } });
    await backend.tick();
    expect(backend.mails).toHaveLength(1);
    await expect(backend.forms.get("nope")).rejects.toBeInstanceOf(ApiError);
  });

  it("has each language of the inbox as it was written", async () => {
    const files = readdirSync("dist").filter((file) => LANGUAGE.test(file));
    expect(files).toHaveLength(12);
    for (const file of files) {
      const written = JSON.parse(readFileSync(`src/texts/inbox/${file.slice(0, 2)}.json`, "utf8"));
      expect((await import(join(process.cwd(), "dist", file))).default, file).toEqual(written);
    }
  });

  it("imports no package that it does not declare", () => {
    const declared = new Set([
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.peerDependencies),
      ...builtinModules.flatMap((name) => [name, `node:${name}`]),
      "node:sqlite",
      // Of Cloudflare's runtime.
      "cloudflare:workers",
      "form-backend",
    ]);
    const foreign = new Set<string>();
    for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".js"),
    )) {
      const source = readFileSync(join("dist", file), "utf8");
      for (const [, name = ""] of source.matchAll(
        /(?:^|\n)(?:import|export)[^'"\n]*?from\s*"([^."#][^"]*)"|import\("([^."#][^"]*)"\)/g,
      )) {
        const bare = name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/");
        // A Nuxt host has Vue, and its own bundler reads these files.
        const hosts = file.startsWith("nuxt") && bare === "vue";
        if (name && !declared.has(name) && !declared.has(bare) && !hosts) foreign.add(name);
      }
    }
    expect([...foreign]).toEqual([]);
  });

  it("stays within its budgets: regular dependencies and bytes of code", () => {
    expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(18);
    const sizes = readdirSync("dist", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .map((file) => ({ file, bytes: statSync(join("dist", file)).size }));
    // A host loads the languages it names; each is a file of its own, and the inbox has one more for each of its own.
    const ofInbox = (file: string): boolean => LANGUAGE.test(file);
    const inboxLanguages = sizes.filter(({ file }) => ofInbox(file));
    expect(inboxLanguages.length).toBe(12);
    expect(inboxLanguages.filter(({ bytes }) => bytes > 104 * 1024)).toEqual([]);
    const [languages, others = []] = [true, false].map((is) =>
      sizes.filter(({ file }) => !ofInbox(file) && file.startsWith("locales") === is),
    );
    // No host loads the command line.
    const [command = [], code] = [true, false].map((is) =>
      others.filter(({ file }) => /^cli(-\w+)?\.js$/.test(file) === is),
    );
    const eager = command.filter(({ file }) => file === "cli.js");
    expect(eager.map(({ bytes }) => bytes > 160 * 1024)).toEqual([false]);
    // With what a command loads when it runs, such as the doctor, or the files that `init` writes for fifteen hosts.
    expect(command.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(240 * 1024);
    expect(languages?.filter(({ bytes }) => bytes > 24 * 1024)).toEqual([]);
    // All entries together; a host loads those that it names, and each driver is one. The zod among them was a package of its own before.
    expect(code?.find(({ file }) => file === "zod.js")?.bytes).toBeLessThanOrEqual(110 * 1024);
    expect(code?.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(2_600 * 1024);
  });
});
