import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlain } from "../../../lib/merge.ts";
import { writeWhole } from "../dev/folder.ts";
import { Failure } from "../failure.ts";
import type { LiveState } from "./live.ts";
import { checked, type LoadedConfig } from "./load.ts";

/** A plan in a file: the forms as wanted, and the versions it was made for. It holds names of variables, not their values. */
interface PlanFile {
  readonly form_backend_plan: 1;
  readonly file: string;
  readonly team: string;
  readonly prune: boolean;
  readonly adopt: readonly string[];
  readonly forms: LoadedConfig["forms"];
  /** By key, for every form of the team that has one or gets one. */
  readonly versions: Readonly<Record<string, string>>;
}

const versionsOf = ({ keyed }: LiveState): Record<string, string> =>
  Object.fromEntries([...keyed].map(([key, { form, etag }]) => [key, `${form.id} ${etag}`]));

/** Writes a plan. */
export async function savePlan(
  path: string,
  config: LoadedConfig,
  state: LiveState,
  { prune, adopt }: Pick<PlanFile, "prune" | "adopt">,
): Promise<void> {
  const plan: PlanFile = {
    form_backend_plan: 1,
    file: config.file,
    team: state.team,
    prune,
    adopt,
    forms: config.forms,
    versions: versionsOf(state),
  };
  await writeWhole(path, plan);
}

/** A plan that was written. */
export interface SavedPlan {
  readonly config: LoadedConfig;
  readonly prune: boolean;
  readonly adopt: readonly string[];
  /** Throws `Failure` if a form has changed, come or gone since. */
  unmoved(state: LiveState): void;
}

/** Reads a plan. Throws `Failure` if the file is none. */
export async function readPlan(cwd: string, name: string): Promise<SavedPlan> {
  const text = await readFile(resolve(cwd, name), "utf8").catch(() => {
    throw new Failure(`There is no file ${name}.`);
  });
  const plan = parsed(text);
  if (!plan) throw new Failure(`${name} is no plan of this version. \`form-backend plan -out ${name}\` writes one.`);
  const config = checked(name, { team: plan.team, forms: plan.forms });
  return {
    config,
    prune: plan.prune,
    adopt: plan.adopt,
    unmoved(state) {
      const now = versionsOf(state);
      // A form that the plan has nothing to do with may change.
      const concerned = (key: string): boolean => plan.prune || Object.hasOwn(plan.forms, key);
      const keys = new Set([...Object.keys(now), ...Object.keys(plan.versions)].filter(concerned));
      const moved = [...keys].filter((key) => now[key] !== plan.versions[key]);
      if (moved.length > 0) throw new Failure(`Changed since the plan was made: ${moved.join(", ")}. Plan again.`);
    },
  };
}

function parsed(text: string): PlanFile | null {
  try {
    const value = JSON.parse(text) as PlanFile;
    return isPlain(value) && value.form_backend_plan === 1 && isPlain(value.versions) ? value : null;
  } catch {
    return null;
  }
}
