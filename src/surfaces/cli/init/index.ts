import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../context.ts";
import { databaseOf } from "../drivers.ts";
import { styled } from "../io.ts";
import { agentsSaid, tellAgents } from "./agents.ts";
import { detect } from "./detect.ts";
import { filesOf, type InitDatabase, mountOf } from "./files.ts";
import { type HostName, hosts } from "./hosts.ts";

export interface InitOptions {
  readonly host?: HostName;
  readonly database?: InitDatabase;
  readonly yes?: boolean;
  /** Adds a line to an `AGENTS.md` that exists. */
  readonly agents?: boolean;
}

/** Prints the mount for the app in this folder, and writes the files that it needs and that don't exist. */
export async function init(
  { io, json, show, say, confirm }: Context,
  { host, yes, agents, database: chosen }: InitOptions,
): Promise<void> {
  const app = detect(io.cwd, host);
  const named = databaseOf(io.env);
  const database = chosen ?? (named === "mariadb" ? "mysql" : (named ?? "sqlite"));
  const { title } = hosts[app.host];
  const [there, missing] = [true, false].map((is) =>
    filesOf(app, database).filter(({ path }) => existsSync(join(io.cwd, path)) === is),
  ) as [ReturnType<typeof filesOf>, ReturnType<typeof filesOf>];
  const mount = mountOf(app);
  if (!json) {
    say(`${title}${host === undefined ? ", as package.json says" : ""}.\n`);
    if (mount) {
      say(`Put this ${mount.place}:\n`);
      const lines = [...mount.imports, ...(mount.imports.length > 0 ? [""] : []), ...mount.code.split("\n")];
      await io.out(`${lines.map((line) => (line === "" ? "" : styled(io, "cyan", line))).join("\n")}\n`);
      say("");
    }
  }
  for (const { path } of there) say(`${path} already exists and is not changed.`);
  const paths = missing.map(({ path }) => path);
  if (paths.length > 0) await confirm(`Write ${paths.join(", ")}?`, yes);
  for (const { path, text } of missing) {
    const target = join(io.cwd, path);
    await mkdir(dirname(target), { recursive: true });
    // `wx` fails if the file exists by now.
    await writeFile(target, text, { flag: "wx" });
    say(`Wrote ${path}.`);
  }
  const told = agents ? await tellAgents(io.cwd) : null;
  if (json) {
    const kept = there.map(({ path }) => path);
    return show({ host: app.host, written: paths, kept, mount, ...(told && { agents: told }) });
  }
  if (told) say(agentsSaid[told]);
  if (!app.installed) say("\nInstall the library: npm install form-backend");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld = major < 22 || (major === 22 && minor < 13);
  if (database === "sqlite" && isOld) say("Node before 22.13 also needs: npm install @photostructure/sqlite");
  if (database !== "sqlite") {
    say(`The store also needs DATABASE_URL, and: npm install ${database === "mysql" ? "mysql2" : "pg"}`);
  }
  say("\nA page shows the form with: const { endpoint } = await contactForm();");
  say('Then, with that as its action: <form method="post" action="…">');
}
