import { loop } from "../../lib/runtime/process.ts";

/** The most of the event loop's time that heavy requests of one team get while other teams are served. */
const MOST = 1 / 5;
/** A team is served from its last request on for so long. */
const SERVED_MS = 1_000;
/** A heavy request that has waited so long goes on, whatever its team has used. */
const PATIENCE_MS = 10_000;
/** Time between two looks at requests that wait. */
const STEP_MS = 5;
/** Time that a team may save, for a few requests at once, and that it may owe, so that a flood is forgotten soon after it. */
const MOST_SAVED_MS = 10;
const MOST_OWED_MS = 300;

/** How long the event loop has been idle and active since its start, ms. */
interface LoopTime {
  readonly idle: number;
  readonly active: number;
}

/** The clock and the timer of the shares. */
interface Loop {
  time(): LoopTime;
  later(run: () => void, ms: number): unknown;
}

/** A request's part in its team's share of the time. */
export interface Share {
  /** The team is served: others have to leave it time. Call it for a light request, which takes no share and never waits. */
  note(team: string): void;
  /**
   * Call it for a heavy request, before its work begins; once is enough. Waits if its team has had more than its share
   * while other teams are served.
   */
  take(team: string): Promise<void> | undefined;
  /** Call it when the request has ended. */
  leave(): void;
}

interface Team {
  /** Heavy requests that were admitted and have not ended. */
  underWay: number;
  /** Time used beyond its share, ms. */
  owed: number;
  readonly waiting: { readonly since: number; admit(): void }[];
}

/**
 * Shares the event loop's time among teams: one whose heavy requests keep the loop busy makes everybody wait, however short each
 * turn is. Active time counts for the teams whose heavy requests were under way, by their number, because nobody can tell whose
 * turn it was. A team that is alone never waits.
 */
export function createShares({ time, later }: Loop): () => Share {
  const teams = new Map<string, Team>();
  let seen = time();
  let underWay = 0;
  let waiters = 0;
  let looking = false;
  /** The team of the last request, and the last request of any other team. */
  let last = { team: "", at: -Infinity };
  let before = -Infinity;

  const now = (): number => seen.idle + seen.active;
  const isAlone = (team: string): boolean => now() - (team === last.team ? before : last.at) > SERVED_MS;

  /** Charges the time since the last look. */
  function look(): void {
    const at = time();
    const active = at.active - seen.active;
    const passed = active + at.idle - seen.idle;
    // Turns of less than a millisecond are charged together, which keeps the work for each request small.
    if (passed < 1) return;
    seen = at;
    for (const [name, team] of teams) {
      const used = underWay > 0 ? (active * team.underWay) / underWay : 0;
      team.owed = Math.min(Math.max(team.owed + used - MOST * passed, -MOST_SAVED_MS), MOST_OWED_MS);
      if (team.underWay === 0 && team.waiting.length === 0 && team.owed <= 0) teams.delete(name);
    }
  }

  function teamOf(name: string): Team {
    const known = teams.get(name) ?? { underWay: 0, owed: 0, waiting: [] };
    teams.set(name, known);
    return known;
  }

  function admit(team: Team): void {
    team.underWay++;
    underWay++;
  }

  /** Admits one request of each team that owes nothing, and all of those that need not wait any more. */
  function admitNext(): void {
    looking = false;
    look();
    for (const [name, { owed, waiting }] of teams) {
      const all = isAlone(name);
      for (let first = owed <= 0; waiting[0]; first = false) {
        if (!all && !first && now() - waiting[0].since < PATIENCE_MS) break;
        waiters--;
        waiting.shift()?.admit();
      }
    }
    lookAgain();
  }

  function lookAgain(): void {
    if (looking || waiters === 0) return;
    looking = true;
    later(admitNext, STEP_MS);
  }

  function note(name: string): void {
    look();
    if (name !== last.team) before = last.at;
    last = { team: name, at: now() };
  }

  function take(name: string): Promise<void> | undefined {
    note(name);
    const team = teamOf(name);
    if (isAlone(name) || (team.owed <= 0 && team.waiting.length === 0)) {
      admit(team);
      return undefined;
    }
    waiters++;
    return new Promise((resolve) => {
      team.waiting.push({
        since: now(),
        admit() {
          admit(team);
          resolve();
        },
      });
      lookAgain();
    });
  }

  return () => {
    let taken: { readonly name: string; readonly ready: Promise<void> | undefined } | null = null;
    return {
      note,
      take(name) {
        taken ??= { name, ready: take(name) };
        return taken.ready;
      },
      leave() {
        if (!taken) return;
        const { name, ready } = taken;
        const end = (): void => {
          look();
          teamOf(name).underWay--;
          underWay--;
        };
        if (ready) void ready.then(end);
        else end();
      },
    };
  };
}

/** There is one loop in a process, so there is one count of its time. */
export const share: () => Share = loop ? createShares(loop) : () => ({ note() {}, take: () => undefined, leave() {} });
