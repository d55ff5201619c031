import type { Write } from "../drivers/storage/types.ts";
import { iso } from "../lib/clock.ts";
import { base62 } from "../lib/id.ts";
import { block, list, number, text, time } from "../lib/leaves.ts";
import { describe } from "../lib/message.ts";
import type { MarkRecord } from "../model/records.ts";
import type { Core } from "./core.ts";
import { put, retrying } from "./rows.ts";

/** How far a version understands what others write into a store. */
export interface Generation {
  /** The generation of this code. Add one with each change of the stored data that older code would handle wrongly. */
  readonly own: number;
  /** The oldest generation that may run beside it. Set it to `own` where older code would lose or change what is stored. */
  readonly oldest: number;
}

/** Code before 0.1.0 took part in no generation. */
export const GENERATION: Generation = { own: 1, oldest: 1 };

const BEAT_MS = 60_000;
/** A process that says nothing for so long has ended. */
const SILENT_MS = 5 * BEAT_MS;
/** The row says which code may use the store, so it outlives every process. */
const KEPT_MS = 10 * 365 * 24 * 60 * 60_000;
/** A process that ends does not wait longer for a store that is down. */
const LEAVE_MS = 1_000;

interface Running {
  id: string;
  generation: number;
  until: string;
}

interface ProcessesRecord extends MarkRecord {
  expires_at: string;
  /** Older code must not use the store any more. */
  oldest: number;
  /** The name of the secret under which the store is sealed; empty while nobody has one that lasts. */
  secret: string;
  running: Running[];
}

const ROW = "processes";
const leaf = block<ProcessesRecord>({
  expires_at: time(),
  oldest: number(0),
  secret: text(""),
  running: list(block<Running>({ id: text(), generation: number(0), until: time() })),
});

/** Two versions that must not use one store at the same time. */
export class GenerationError extends Error {
  override readonly name = "GenerationError";
}

export interface Processes {
  /**
   * Adds this process to those that use the store, and says so each minute. Throws `GenerationError` if it is too old for the
   * store, or if another one is too old for it. `onRefused` is called once if a newer process has taken over the store later,
   * as after this one stood still for minutes.
   */
  join(options: { readonly beats: boolean; onRefused(error: GenerationError): void }): Promise<void>;
  /** Removes this process. Never rejects. */
  leave(): Promise<void>;
}

/** Says that the store is sealed under the first secret of this process from now on. */
export async function adoptSecret(core: Core): Promise<void> {
  if (core.storage.name === "memory") return;
  await retrying(async () => {
    const row = await core.rows.mark(ROW, leaf);
    const [{ kid } = { kid: "" }] = core.options.secrets;
    if (!row || row.value.secret === kid) return;
    const value: ProcessesRecord = { ...row.value, secret: kid };
    await core.commitNow([put("marks", ROW, value, row.version)]);
  });
}

/** The register of the processes that use a store, a single row. One process alone has a store in memory, and keeps none. */
export function createProcesses(core: Core, { own, oldest }: Generation = GENERATION): Processes {
  const me = base62(12);
  let joined = false;
  let left = false;
  let told = false;
  let cancel = (): void => {};

  /** Writes the row with this process in it, or without. Two processes that join at once see each other: one has to try again. */
  const write = (present: boolean): Promise<void> =>
    retrying(async () => {
      const row = await core.rows.mark(ROW, leaf);
      const now = core.clock.now();
      const at = iso(now);
      const others = (row?.value.running ?? []).filter((other) => other.id !== me && other.until > at);
      if (present) assertFits(row?.value.oldest ?? 0, others);
      const value: ProcessesRecord = {
        ...row?.value,
        expires_at: iso(now + KEPT_MS),
        oldest: Math.max(row?.value.oldest ?? 0, present ? oldest : 0),
        secret: present ? secretOf(row?.value.secret ?? "") : (row?.value.secret ?? ""),
        running: present ? [...others, { id: me, generation: own, until: iso(now + SILENT_MS) }] : others,
      };
      const writes: Write[] = [put("marks", ROW, value, row?.version ?? null)];
      await core.commitNow(writes);
    });

  /** The name of our secret, unless the store was sealed under one that we don't have: without it nothing fails before the first webhook. */
  function secretOf(known: string): string {
    if (!core.options.secretLasts) return known;
    const { secrets, logger } = core.options;
    if (known === "" || secrets.some(({ kid }) => kid === known)) return secrets[0]?.kid ?? known;
    if (!told)
      logger.error(
        "the store was used with another `secret` before: webhook secrets, captcha keys and mail servers' passwords in it can't be " +
          "opened, and links don't work; set the option `secret` to what it was, or to a list with the old one behind the new one. " +
          "If the old one is lost, `backend.secrets.reseal()` or `form-backend secrets reseal` ends this message",
      );
    told = true;
    return known;
  }

  function assertFits(least: number, others: readonly Running[]): void {
    if (own < least) {
      throw new GenerationError(
        `[form-backend] the store is used by a newer form-backend (generation ${least}, and this one is ${own}), whose data this ` +
          "version would handle wrongly; upgrade the package",
      );
    }
    const old = others.find(({ generation }) => generation < oldest);
    if (old) {
      throw new GenerationError(
        `[form-backend] a process of an older form-backend (generation ${old.generation}) still uses the store, and this version ` +
          `needs ${oldest}; stop all processes of the older version first (one that was killed counts until ${old.until})`,
      );
    }
  }

  return {
    async join({ beats, onRefused }) {
      if (core.storage.name === "memory") return;
      const beat = async (): Promise<void> => {
        try {
          if (!left) await write(true);
          joined = true;
        } catch (error) {
          if (error instanceof GenerationError) return onRefused(error);
          core.options.logger.debug(`this process could not say that it uses the store: ${describe(error)}`);
        }
        if (!left) cancel = core.clock.setTimer(() => void beat(), BEAT_MS);
      };
      try {
        await write(true);
        joined = true;
      } catch (error) {
        // A store that takes no writes still answers reads, and its outage is told by what fails.
        if (error instanceof GenerationError) throw error;
      }
      if (beats && !left) cancel = core.clock.setTimer(() => void beat(), BEAT_MS);
    },
    async leave() {
      left = true;
      cancel();
      if (!joined) return;
      let stop = (): void => {};
      const late = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LEAVE_MS);
        stop = () => clearTimeout(timer);
      });
      await Promise.race([write(false).catch(() => {}), late]);
      stop();
    },
  };
}
