import { beginningOf } from "../../src/lib/beginning.ts";
import { createBackend, type FormBackend } from "../../src/surfaces/form-backend.ts";
import { createMounted } from "../../src/surfaces/mount.ts";
import { inbound } from "./mail-service.ts";
import { createOutside, type Outside } from "./outside.ts";
import type { Setting } from "./setting.ts";
import { createSheet, type Sheet, serviceAccount } from "./sheet.ts";
import { createStore, type SimulatedStore } from "./store.ts";
import type { Version } from "./versions.ts";
import type { Process, World } from "./world.ts";

export interface Running {
  readonly process: Process;
  readonly backend: FormBackend;
}

export interface Answer {
  readonly status: number;
  readonly body: {
    readonly edit_url?: string;
    readonly submission_id?: string;
    readonly error?: { readonly code: string; readonly message: string; readonly errors?: object };
  };
}

/** A copy of the database, which the host has put back. */
export interface Restored {
  /** When the copy was made, and when it was put back, by the clock that no process sees. */
  readonly copied: number;
  readonly at: number;
  /** Files that were written after the copy of the database and before that of the files: nothing leads to them. */
  readonly strays: ReadonlySet<string>;
}

/** The processes, and how the world outside reaches them. */
export interface System {
  readonly store: SimulatedStore;
  readonly outside: Outside;
  readonly sheet: Sheet;
  /** Those that answer now. */
  running(): readonly Running[];
  /** `work: false` starts one that does what is due only when it is told so, `isNarrow` one with little room at once. */
  start(options?: { readonly work?: boolean; readonly isNarrow?: boolean }): Promise<Running>;
  /** The names of the secrets of processes that start from now on. */
  secrets(names: readonly string[]): void;
  /** Ends a process between two of its awaits. Who waits for it gets a reset connection. */
  crash(running: Running): void;
  /** Ends a process in order. */
  stop(running: Running): Promise<void>;
  /** Runs work in a process; rejects with `Reset` if the process ends before. */
  inside<T>(running: Running, work: (backend: FormBackend) => Promise<T>): Promise<T>;
  /** When each process crashed, or was told to end: it then breaks off what takes longer than its grace. */
  readonly ends: { readonly at: number; readonly process: string }[];
  readonly crashes: { readonly at: number; readonly process: string }[];
  /** Ends all processes, waits until nothing of them is under way, does `work`, and starts as many as a seed begins with. */
  standStill(work: () => void): Promise<void>;
  readonly restores: Restored[];
  /** Has a process stand still for so long. */
  freeze(running: Pick<Running, "process">, ms: number): void;
  readonly freezes: { readonly at: number; readonly until: number; readonly process: string }[];
}

/** Longer than what a process began is under way after its end: a commit on a connection that was given up, a request to a receiver. */
export const STILL_MS = 20_000;

/** The connection ended without an answer. */
export class Reset extends Error {
  override readonly name = "Reset";
}

/**
 * The text of an answer. `response.text()` takes ten turns of promises on Node 20 and five on Node 24, so what else
 * happens in that moment would come in another order.
 */
export const textOf = (response: Response): Promise<string> => beginningOf(response, Infinity);

export const BASE_URL = "https://forms.example.com/forms";
const secretOf = (name: string): string => `the ${name} secret for the simulation`;
/** The team that the host deletes, or whose form moves. */
export const OTHER_TEAM = "team-other";

export function createSystem(world: World, setting: Setting): System {
  const random = world.random.fork("system");
  const store = createStore(world, setting.faults);
  const outside = createOutside(world, setting.faults);
  const sheet = createSheet(world, setting.faults);
  const running = new Set<Running>();
  /** Told to end, and not ended yet. */
  const ending = new Set<Running>();
  const waiting = new Map<Process, Set<() => void>>();
  const crashes: System["crashes"] = [];
  const ends: System["ends"] = [];
  const freezes: System["freezes"] = [];
  let started = 0;
  let secrets: readonly string[] = ["old"];
  let isStill = false;
  const restores: Restored[] = [];

  function inside<T>({ process, backend }: Running, work: (backend: FormBackend) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const reset = (): void => void world.after(0, null, () => reject(new Reset()));
      if (!process.alive) return reset();
      const waits = waiting.get(process) ?? new Set();
      waiting.set(process, waits);
      waits.add(reset);
      const ended = (end: () => void): void => {
        waits.delete(reset);
        world.after(random.between(0, 5), null, end);
      };
      world.after(random.between(0, 5), process, () => {
        work(backend).then(
          (result) => ended(() => resolve(result)),
          (error) => ended(() => reject(error)),
        );
      });
    });
  }

  const end = (one: Running): void => {
    one.process.alive = false;
    running.delete(one);
    for (const reset of waiting.get(one.process) ?? []) reset();
    waiting.delete(one.process);
  };

  const integrations = setting.parts.sheet && {
    google: { credentials: serviceAccount(), tokenUrl: "https://oauth2.googleapis.com/token" },
  };

  const system: System = {
    store,
    outside,
    sheet,
    crashes,
    ends,
    freezes,
    running: () => [...running],
    inside,
    secrets(names) {
      secrets = names;
    },
    async start({ work = true, isNarrow = false } = {}) {
      while (isStill) await world.pause(1_000);
      const { drift } = setting.faults;
      const process: Process = {
        name: `p${++started}`,
        alive: true,
        drift: work ? random.between(-drift, drift) * 1_000 : 0,
        frozenUntil: 0,
        pending: 0,
        own: new Map(),
        version: setting.parts.versions ? random.pick<Version>(["before", "this", "later"]) : "this",
      };
      // Of a trace, the first line: where it happened is for the machine's time.
      const log = (level: string) => (message: string) => world.note(`${level} ${message.split("\n", 1)[0]}`);
      const one = await new Promise<Running>((resolve) => {
        world.after(0, process, () => {
          const backend = createBackend(
            {
              baseUrl: BASE_URL,
              secret: secrets.map(secretOf),
              from: "Forms <forms@example.com>",
              storage: isNarrow ? { ...store.driver(process), writers: 1 } : store.driver(process),
              mailer: outside.mailer(process),
              blob: outside.blob(process),
              queue: outside.queue(process),
              plans: {
                sim: { submissions_per_month: setting.month, webhooks_per_form: 5 },
                small: { submissions_per_month: 3, webhooks_per_form: 5 },
                large: { submissions_per_month: null, webhooks_per_form: 5 },
              },
              defaultPlan: "sim",
              rateLimit: false,
              ...(isNarrow && { webhooks: { concurrency: 4, perWebhook: 2 } }),
              ...(setting.parts.talk && { inbound }),
              ...(integrations && { integrations }),
              work: work ? true : "on-request",
              logger: { debug: () => {}, info: log("info"), warn: log("warn"), error: log("error") },
            },
            { engine: createMounted, webhookClient: outside.webhookClient(process) },
          );
          resolve({ process, backend });
        });
      });
      const of =
        process.version === "this"
          ? ""
          : `, of ${process.version === "before" ? "the version before" : "a later version"}`;
      world.note(`${process.name} starts${of}, its clock is ${process.drift / 1_000} s ahead`);
      running.add(one);
      return one;
    },
    crash(one) {
      if (!one.process.alive) return;
      world.note(`${one.process.name} crashes`);
      crashes.push({ at: world.now(), process: one.process.name });
      ends.push({ at: world.now(), process: one.process.name });
      end(one);
    },
    restores,
    async standStill(work) {
      isStill = true;
      const random = world.random.fork(`still ${world.now()}`);
      const all = [...running];
      for (const one of all) {
        if (random.chance(0.5)) void system.stop(one);
        else system.crash(one);
      }
      await world.pause(STILL_MS);
      // Those that stand still, also since they were told to end, and those whose start had begun before.
      for (const one of [...all, ...ending, ...running]) system.crash(one);
      await world.pause(STILL_MS);
      work();
      isStill = false;
      for (let n = 0; n < setting.processes; n++) await system.start();
    },
    freeze({ process }, ms) {
      const until = world.now() + ms;
      world.note(`${process.name} stands still for ${ms / 1_000} s`);
      process.frozenUntil = Math.max(process.frozenUntil, until);
      freezes.push({ at: world.now(), until, process: process.name });
    },
    async stop(one) {
      running.delete(one);
      ending.add(one);
      world.note(`${one.process.name} is told to end`);
      ends.push({ at: world.now(), process: one.process.name });
      await inside(one, (backend) => backend.close({ graceMs: random.pick([0, 1_000, 10_000]) })).catch((error) => {
        if (!(error instanceof Reset)) throw error;
      });
      ending.delete(one);
      end(one);
    },
  };
  return system;
}
