import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../context.ts";
import { databaseOf } from "../drivers.ts";
import { misuse } from "../failure.ts";
import { styled } from "../io.ts";
import { agentsSaid, tellAgents } from "./agents.ts";
import { type App, detect } from "./detect.ts";
import { filesOf, mountOf, needsPackage } from "./files.ts";
import { type HostName, hosts } from "./hosts.ts";
import { databases, type InitDatabase, STORE } from "./module.ts";
import { moduleOf, type NewFile } from "./routes.ts";
import { tried } from "./trial.ts";

export interface InitOptions {
  readonly host?: HostName;
  readonly database?: InitDatabase;
  readonly yes?: boolean;
  /** Adds a line to an `AGENTS.md` that exists. */
  readonly agents?: boolean;
  /** Posts to the form at the end, where the library is installed. */
  readonly try?: boolean;
}

/**
 * Prints the mount for the app in this folder, writes the files that it needs and that don't exist, and posts to its form. Asks three
 * questions at most: the host and the database where the app does not tell, and before it writes.
 */
export async function init(context: Context, options: InitOptions): Promise<void> {
  const { io, json, show, say, confirm } = context;
  const isAsked = io.tty.in && io.tty.err && !options.yes && !json;
  const app = await detect(io.cwd, options.host, isAsked ? (among) => chosenHost(context, among) : undefined);
  const database = await databaseFor(context, app, options.database, isAsked);
  const { title, port = 3000 } = hosts[app.host];
  const [there, missing] = [true, false].map((is) =>
    filesOf(app, database).filter(({ path }) => existsSync(join(io.cwd, path)) === is),
  ) as [NewFile[], NewFile[]];
  const mount = mountOf(app, database);
  if (!json) {
    say(`${title}${options.host === undefined ? ", as the app says" : ""}.\n`);
    if (mount) {
      say(`Put this ${mount.place}:\n`);
      const lines = [...mount.imports, ...(mount.imports.length > 0 ? [""] : []), ...mount.code.split("\n")];
      await io.out(`${lines.map((line) => (line === "" ? "" : styled(io, "cyan", line))).join("\n")}\n`);
      say("");
    }
  }
  for (const { path } of there) say(`${path} already exists and is not changed.`);
  const paths = missing.map(({ path }) => path);
  if (paths.length > 0) await confirm(`Write ${paths.join(", ")}?`, options.yes);
  for (const { path, text } of missing) {
    const target = join(io.cwd, path);
    // What the app stores is for its own user alone.
    await mkdir(dirname(target), { recursive: true, ...(dirname(path) === STORE && { mode: 0o700 }) });
    // `wx` fails if the file exists by now.
    await writeFile(target, text, { flag: "wx" });
    say(`Wrote ${path}.`);
  }
  const told = options.agents ? await tellAgents(io.cwd) : null;
  // Only a new app: another one has posts and webhooks of its own. The command opens a SQLite file, or DATABASE_URL.
  const isNew = missing.some(({ path }) => path === moduleOf(app));
  const opens = app.host !== "cloudflare" && database === (databaseNamed(context) ?? "sqlite");
  const canTry = options.try !== false && isNew && opens;
  const trial = canTry ? await tried(context, port) : null;
  if (json) {
    const kept = there.map(({ path }) => path);
    const more = { ...(told && { agents: told }), ...(trial !== null && { tried: trial }) };
    return show({ host: app.host, database, written: paths, kept, mount, ...more });
  }
  if (told) say(agentsSaid[told]);
  if (!app.installed) say("\nInstall the library: npm install form-backend");
  const { needs, variable } = databases[database];
  if (needsPackage(app, database)) say("Node before 22.13 also needs: npm install @photostructure/sqlite");
  if (needs !== null) say(`The store also needs ${variable}, and: npm install ${needs}`);
  if (trial !== null && typeof trial !== "string") {
    say(`\nPosted to the form of your app, and found in its inbox:`);
    for (const { key, value } of trial.fields) say(`  ${key.padEnd(8)} ${value}`);
    say("That was a test, so it was removed again. No mail was sent.");
  } else if (trial !== null) say(`\nThe form could not be tried yet: ${trial}`);
  say("\nA page shows the form with: const { endpoint } = await contactForm();");
  say('Then, with that as its action: <form method="post" action="…">');
}

async function chosenHost({ io }: Context, among: readonly HostName[]): Promise<HostName> {
  const answer = (await io.ask(`Which one is the app's host: ${among.join(", ")}? `)).trim().toLowerCase();
  const found = among.find((name) => name === answer);
  if (!found) throw misuse(`"${answer}" is none of them. Choose one with --host: ${among.join(", ")}.`);
  return found;
}

const databaseNamed = ({ io }: Context): "postgres" | "mysql" | undefined => {
  const named = databaseOf(io.env);
  return named === "mariadb" ? "mysql" : named;
};

/** The database: as told, as the environment names it, or that of the app's own packages, if its author agrees. */
async function databaseFor(
  context: Context,
  { database: own, host }: App,
  told: InitDatabase | undefined,
  isAsked: boolean,
): Promise<InitDatabase> {
  const { io } = context;
  const named = told ?? (io.env["TURSO_DATABASE_URL"] ? "libsql" : databaseNamed(context));
  if (named !== undefined || own === null || host === "cloudflare") return named ?? "sqlite";
  if (!isAsked) return own;
  const answer = await io.ask(
    `The app uses ${databases[own].title}. Keep submissions there, too, and not in a SQLite file? [Y/n] `,
  );
  return /^n/i.test(answer.trim()) ? "sqlite" : own;
}
