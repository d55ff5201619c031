import { asPerson, type Scene } from "./people.ts";
import { OTHER_TEAM, type Running } from "./system.ts";

type Backend = Running["backend"];

/** The acts of the host on the other team. */
export interface Hosted {
  /** Its team's deletion was asked for, and had an answer. */
  deleted: "no" | "tried" | "yes";
  moved: "no" | "tried" | "yes";
  /** The numbers a month of the plans that the team got. */
  readonly months: (number | null)[];
}

/** The acts of the host: plans, teams and secrets. Each is repeated until it has an answer. */
export interface Hosting {
  readonly hosted: Hosted;
  readonly acts: readonly (() => Promise<void>)[];
  deleteTeam(): Promise<void>;
  moveForm(): Promise<void>;
  /** Erases a person of the first team. */
  erase(email: string): Promise<void>;
}

export function hosting(scene: Scene): Hosting {
  const { world, system, setting, forms } = scene;
  const random = world.random.fork("host");
  const hosted: Hosted = { deleted: "no", moved: "no", months: [] };
  const acts: (() => Promise<void>)[] = [];
  const until = async (what: string, run: (backend: Backend) => Promise<unknown>): Promise<void> => {
    for (let tried = 0; tried < 200; tried++) {
      const all = system.running();
      world.note(`the host: ${what}`);
      const isDone =
        all.length > 0 && (await asPerson(world, () => system.inside(random.pick(all), run).then(() => {})));
      if (isDone) return;
      await world.pause(random.between(500, 10_000));
    }
    throw new Error(`the host got no answer: ${what}`);
  };

  if (setting.parts.plans) {
    for (const plan of random.pick([["small"], ["small", "sim"], ["large", "sim"], ["large"]])) {
      hosted.months.push({ small: 3, sim: setting.month, large: null }[plan] ?? null);
      acts.push(() => until(`plan ${plan}`, (backend) => backend.teams.update("default", { plan })));
    }
  }
  const { other } = forms;
  const deleteTeam = async (): Promise<void> => {
    hosted.deleted = "tried";
    await until("the team is deleted", (backend) => backend.teams.delete(OTHER_TEAM));
    hosted.deleted = "yes";
  };
  const moveForm = async (): Promise<void> => {
    hosted.moved = "tried";
    await until("the form moves", (backend) => backend.forms.move(String(other), { team_id: "default" }));
    hosted.moved = "yes";
  };
  const erase = (email: string): Promise<void> =>
    until(`${email} is erased`, (backend) => backend.dataSubjects.erase({ email, team_id: "default" }));
  if (other !== undefined) acts.push(random.chance(0.5) ? deleteTeam : moveForm);
  if (setting.parts.secrets) {
    acts.push(async () => {
      // Every process learns a secret before the first one writes with it.
      for (const secrets of [
        ["old", "new"],
        ["new", "old"],
      ]) {
        system.secrets(secrets);
        for (const one of [...system.running()]) {
          await system.start();
          await system.stop(one);
          await world.pause(random.between(0, 5_000));
        }
      }
      await until("everything is sealed anew", (backend) => backend.secrets.reseal());
      system.secrets(["new"]);
    });
  }
  return { hosted, acts, deleteTeam, moveForm, erase };
}
