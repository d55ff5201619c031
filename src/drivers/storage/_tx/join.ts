import { createGate, type Gate } from "../../../lib/gate.ts";
import { inTime } from "../../../lib/in-time.ts";
import { EndedError, type Given, type Kind, type Link, RefusedError } from "./link.ts";
import { recognise } from "./orms.ts";

/** The way that a store writes in a host's transaction. */
export interface Joining {
  /** The store's name, for messages. */
  readonly store: string;
  readonly kind: Kind;
  /** The values that may be passed as `tx`, and how a transaction is begun on them, for messages. */
  readonly possible: string;
  readonly toBegin: string;
  /** Milliseconds before a statement without a response fails. */
  readonly timeoutMs: number;
  /** Sets a savepoint; throws the server's error, or an `EndedError`, where no transaction is open. */
  savepoint(link: Link, name: string): Promise<void>;
  /** True if the server's error says that no transaction is open, or that an earlier error has ended it. */
  isEnded(error: unknown): boolean;
  /** Throws a `RefusedError` if the transaction is not in the store's database. Nothing has been written yet. */
  check(link: Link): Promise<void>;
  /** True after a failure that has ended the host's transaction as well. */
  isLost?(error: unknown): boolean;
  /** The same failure as the store reports it. */
  explain(error: unknown): unknown;
}

/** One place for each connection: a rollback undoes all that was written since the savepoint, so commits never overlap. */
const gates = new WeakMap<object, Gate>();
/** The number of the last savepoint. Each has a name of its own, so no commit ever ends another one's. */
let savepoints = 0;

/**
 * Recognises a host's transaction. The result writes in it, and the host commits; a failure takes back only our part. Throws a
 * `TypeError` that names what was given and what is possible.
 */
export function joined(tx: unknown, joining: Joining): (write: (link: Link) => Promise<void>) => Promise<void> {
  const given = described(joining, () => {
    const found = recognise(tx);
    if (found.kind === null || found.kind === joining.kind) return found;
    throw new RefusedError(`is ${found.name} (${found.kind}), and the store is in ${joining.kind}`);
  });
  return async (write) => {
    const link = await given.open().catch((error: unknown) => described(joining, () => fail(error)));
    const gate = gates.get(link.connection) ?? createGate(1);
    gates.set(link.connection, gate);
    const leave = await gate.enter("");
    try {
      await part(timed(link, joining.timeoutMs), given, joining, write);
    } finally {
      leave?.();
    }
  };
}

async function part(link: Link, given: Given, joining: Joining, write: (link: Link) => Promise<void>): Promise<void> {
  const work = async (inner: Link): Promise<void> => {
    await joining.check(inner);
    await write(inner);
  };
  const name = `form_backend_${++savepoints}`;
  try {
    if (link.nested) return await link.nested((inner) => work(timed(inner, joining.timeoutMs)));
    await joining.savepoint(link, name);
    try {
      await work(link);
      await link.run(`RELEASE SAVEPOINT ${name}`);
    } catch (error) {
      // If the connection is gone, so is the transaction.
      if (!joining.isLost?.(error)) {
        await link
          .run(`ROLLBACK TO SAVEPOINT ${name}`)
          .then(() => link.run(`RELEASE SAVEPOINT ${name}`))
          .catch(() => {});
      }
      throw error;
    }
  } catch (error) {
    const isEnded = joining.isEnded(error) || link.hasEnded?.(error);
    described(joining, () => fail(isEnded ? new EndedError(given.name, { cause: error }) : joining.explain(error)));
  }
}

const fail = (error: unknown): never => {
  throw error;
};

/** Runs `look`; its refusals get the name of the store, and tell what is possible. */
function described<T>({ store, possible, toBegin }: Joining, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const { message, cause } = error as Error;
    if (error instanceof EndedError) {
      const text = `\`tx\`, ${message}, has no transaction open; ${toBegin}`;
      throw new TypeError(`[form-backend] ${store}: ${text}`, { cause });
    }
    if (error instanceof RefusedError) {
      // A refusal that tells what to pass needs no list of all that is possible.
      const hint = /; /.test(message) ? "" : `; ${possible}`;
      throw new TypeError(`[form-backend] ${store}: \`tx\` ${message}${hint}`);
    }
    throw error;
  }
}

function timed(link: Link, ms: number): Link {
  return {
    ...link,
    run: (sql, params) => inTime(ms, () => link.run(sql, params)),
    read: (sql, params) => inTime(ms, () => link.read(sql, params)),
  };
}
