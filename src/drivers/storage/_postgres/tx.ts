import type { Connections } from "../_sql/pool.ts";
import { type Joining, joined } from "../_tx/join.ts";
import { type Link, RefusedError } from "../_tx/link.ts";
import type { Transaction } from "../types.ts";
import { asStale, type Statement } from "./commit.ts";
import { explain, sqlState } from "./errors.ts";
import { qualified } from "./table.ts";

/** Tells a server, database and schema from others. It never fails, and needs no rights. */
const PLACE =
  "SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), to_regclass($1::text)::oid) AS place, to_regclass($1::text) IS NOT NULL AS there";

/** Writes in a host's transaction. */
export interface Joiner {
  /** Throws a `TypeError` for a `tx` that is of no use. The result runs the statements in it. */
  within(tx: Transaction): (statements: readonly Statement[]) => Promise<void>;
}

export function joiner(schema: string, timeoutMs: number, connections: () => Connections): Joiner {
  const list = qualified(schema, "migrations");
  /** Connections that have been checked: they stay with their server. */
  const known = new WeakSet<object>();
  let place: Promise<unknown> | undefined;
  const own = async (): Promise<unknown> => {
    const [found] = await connections().ask(PLACE, [list], { again: true });
    return found?.place;
  };

  async function check(link: Link): Promise<void> {
    if (known.has(link.connection)) return;
    const [found] = await link.read(PLACE, [list]);
    if (found?.there !== true) throw new RefusedError(`is in a database without the schema "${schema}" of the store`);
    place ??= own();
    // A server that was restarted since counts as another one, so our side is read again.
    if ((await place.catch(() => undefined)) !== found.place) place = own();
    if ((await place) !== found.place) throw new RefusedError("is in another database than the store");
    known.add(link.connection);
  }

  const joining: Joining = {
    store: "postgres",
    kind: "PostgreSQL",
    possible:
      "pass a client of pg, or a transaction of Drizzle, Kysely, Knex, Prisma, TypeORM, MikroORM or postgres.js",
    toBegin: "run BEGIN on it first, and pass the client itself, not its pool",
    timeoutMs,
    check,
    savepoint: async (link, name) => void (await link.run(`SAVEPOINT ${name}`)),
    isEnded: (error) => ["25P01", "25P02"].includes(sqlState(error) ?? ""),
    explain: (error) => explain(asStale(error), schema),
  };
  return {
    within(tx) {
      const inside = joined(tx, joining);
      return (statements) =>
        inside(async (link) => {
          for (const { sql, params } of statements) await link.run(sql, params);
        });
    },
  };
}
