import pg from "pg";
import { POSTGRES_URL } from "../../../_support/postgres.ts";

/** A step of a plan, with what it did. */
export interface Scan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: Scan[];
}

export interface ExplainedPool {
  readonly pool: pg.Pool;
  /** How the server has read tables for what `work` asked. */
  scansOf(work: () => Promise<unknown>): Promise<Scan[]>;
}

const nodes = (plan: Scan): Scan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
const isScan = (plan: Scan): boolean => plan["Relation Name"] !== undefined && plan["Node Type"].endsWith("Scan");

/** A pool of one connection, whose server tells the plans of all statements, those inside of functions too. */
export async function explainedPool(): Promise<ExplainedPool> {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 1 });
  let told: Scan[] = [];
  const client = await pool.connect();
  client.on("notice", ({ message = "" }) => {
    const json = /plan:\n(.*)$/s.exec(message)?.[1];
    if (json) told.push(...nodes((JSON.parse(json) as { Plan: Scan }).Plan));
  });
  await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_level = notice;
    SET auto_explain.log_format = json; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
    SET auto_explain.log_nested_statements = on`);
  client.release();
  return {
    pool,
    async scansOf(work) {
      told = [];
      await work();
      return told.filter(isScan);
    },
  };
}
