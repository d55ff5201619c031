import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import { applyAll } from "../config/apply.ts";
import { desiredForms } from "../config/desired.ts";
import { readPlan, type SavedPlan, savePlan } from "../config/file.ts";
import { adopting, type LiveState, readLive } from "../config/live.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { type FormStep, planOf } from "../config/plan.ts";
import { configSource, leftOut, pulled } from "../config/pull.ts";
import { planText, shownChanges } from "../config/show.ts";
import type { Context } from "../context.ts";
import type { Register } from "../declare.ts";
import { exit, Failure } from "../failure.ts";

interface PlanOptions {
  readonly file?: string;
  readonly prune?: boolean;
  readonly adopt?: readonly string[];
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly yes?: boolean;
}

interface Made {
  readonly steps: readonly FormStep[];
  readonly state: LiveState;
}

/** `pull`, `plan`, `apply`. */
export const configCommands: Register = (program, { http, action }) => {
  const planned = (command: Command): Command =>
    http(command)
      .option("--file <file>", "the file of forms (default: forms.config.ts, .mts, .mjs, .js or .json)")
      .option("--prune", "delete forms that have a key and are not in the file")
      .option("--adopt <id=key...>", "give forms without a key one from the file");

  http(program.command("pull").description("Write the forms that have a key into a file."))
    .option("--output <file>", "the file", "forms.config.ts")
    .option("--team <id>", "team, if the API key covers several")
    .option("--force", "overwrite the file")
    .action(action(pull));

  planned(program.command("plan").description("Show how the forms differ from the file, and change nothing."))
    .option("--out <file>", "also write the plan, for apply (also: -out)")
    .option("--detailed-exitcode", "exit with 2 if there are changes")
    .action(action(plan));

  planned(program.command("apply").description("Change the forms to match the file, or carry out a plan."))
    .argument("[plan]", "a plan written by `plan --out`; refused if a form has changed since")
    .option("--yes", "do not ask before deleting")
    .action(action(apply));
};

async function pull(
  { io, json, client, say, show }: Context,
  options: { output: string; team?: string; force?: boolean },
): Promise<void> {
  const state = await readLive(client(), options.team);
  const forms = Object.fromEntries([...state.keyed].map(([key, live]) => [key, pulled(key, live)]));
  const target = resolve(io.cwd, options.output);
  // `wx` fails if the file exists.
  await writeFile(target, configSource(state.team, forms), { flag: options.force ? "w" : "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw new Failure(`${options.output} exists. Overwrite it with --force.`);
      throw error;
    },
  );
  if (json) await show({ file: target, forms: Object.keys(forms) });
  say(`Wrote ${Object.keys(forms).length} forms to ${options.output}.`);
  for (const [key, live] of state.keyed) {
    const left = leftOut(live).join(", ");
    if (left !== "") say(`Left out of ${key}: ${left}, because ids of this installation mean nothing to another one.`);
  }
  for (const { form } of state.others) {
    say(`Left out, because it has no key: ${form.id}. Add it to the file, and adopt it: --adopt ${form.id}=<key>`);
  }
}

async function made(
  { io }: Context,
  api: Client,
  config: LoadedConfig,
  prune: boolean,
  adopt: readonly string[],
  saved?: SavedPlan,
): Promise<Made> {
  // Variables and values are checked before the first request.
  const wanted = desiredForms(config, io);
  const state = adopting(await readLive(api, config.team), adopt);
  saved?.unmoved(state);
  return { steps: planOf(wanted, state, prune), state };
}

async function print(
  { io, json, show, say }: Context,
  { steps, state }: Made,
  config: LoadedConfig,
  prune: boolean,
): Promise<void> {
  if (json) return show({ changes: shownChanges(steps), unsupported: [] });
  await io.out(planText(io, steps));
  const foreign = [...state.keyed.keys()].filter((key) => !Object.hasOwn(config.forms, key));
  if (foreign.length > 0 && !prune) say(`Not in the file: ${foreign.join(", ")}. --prune deletes them.`);
}

async function plan(
  context: Context,
  { file, prune = false, adopt = [], out, detailedExitcode }: PlanOptions,
): Promise<void> {
  const { io, say } = context;
  const api = context.client();
  const config = await loadConfig(io, file);
  const result = await made(context, api, config, prune, adopt);
  await print(context, result, config, prune);
  if (out !== undefined) {
    await savePlan(resolve(io.cwd, out), config, result.state, { prune, adopt });
    say(`Carry it out with: form-backend apply ${out}`);
  }
  if (detailedExitcode && result.steps.length > 0) throw new Failure("", exit.changes);
}

async function apply(context: Context, name: string | undefined, options: PlanOptions): Promise<void> {
  const { io, json, say, confirm } = context;
  const api = context.client();
  const saved = name === undefined ? undefined : await readPlan(io.cwd, name);
  if (saved && (options.file !== undefined || options.prune || options.adopt)) {
    throw new Failure("A plan already contains --file, --prune and --adopt: leave them out.", exit.usage);
  }
  const config = saved?.config ?? (await loadConfig(io, options.file));
  const { prune, adopt } = saved ?? { prune: options.prune ?? false, adopt: options.adopt ?? [] };
  const result = await made(context, api, config, prune, adopt, saved);
  await print(context, result, config, prune);
  const doomed = result.steps.filter(({ action }) => action === "delete").map(({ key }) => key);
  if (doomed.length > 0) await confirm(`Delete ${doomed.join(", ")} permanently?`, options.yes);
  await applyAll(api, result.state.team, result.steps, {
    done: ({ action, key }) => say(`${key}: ${action}d`),
    async secret(created) {
      if (json) await io.out(`${JSON.stringify(created)}\n`);
      else io.err(`${created.form}: the secret of the webhook ${created.webhook}, shown only now: ${created.secret}\n`);
    },
  });
}
