import type { Connections } from "../_sql/pool.ts";
import type { Claim, ClaimQuery, Stored } from "../types.ts";
import { CLAIM } from "./functions.ts";
import { type PgTable, qualified } from "./table.ts";

/** Claims jobs by the function of that name, in one round trip. */
export function claimer(
  connections: Connections,
  schema: string,
  jobs: PgTable,
): (query: ClaimQuery) => Promise<Claim> {
  const sql = `SELECT * FROM ${qualified(schema, CLAIM)}($1::text, $2::bigint, $3::bigint, $4::integer, $5::text::json, $6::integer)`;
  return async ({ lane, now, leaseMs, limit, exclude, perTarget }) => {
    const params = [lane, now ?? null, leaseMs, Math.max(0, limit), JSON.stringify(exclude), perTarget];
    const rows = await connections.ask(sql, params);
    const jobsOf = rows.filter((row) => row.id !== null);
    return { now: Number(rows[0]!.now), jobs: jobsOf.map((row): Stored => jobs.decode(row)) };
  };
}
