import type { SqlRow, SqlValue } from "../_sql/sql.ts";

/** The databases that have a store. */
export type Kind = "PostgreSQL" | "MySQL" | "SQLite";

/** A host's open transaction, in one shape whatever library it comes from. */
export interface Link {
  /** Commits over one connection take turns. */
  readonly connection: object;
  /** Runs a statement without rows. Returns the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  read(sql: string, params?: readonly SqlValue[]): Promise<SqlRow[]>;
  /** True if the error is the library's own for a transaction that has ended. */
  hasEnded?(error: unknown): boolean;
  /** Runs `work` in a savepoint that the library makes: postgres.js rolls back a transaction after any failure outside of one. */
  nested?<T>(work: (inner: Link) => Promise<T>): Promise<T>;
}

/** The value given as `tx`. Nothing has been sent to it yet. */
export interface Given {
  /** For messages, such as "a transaction of Drizzle". */
  readonly name: string;
  /** Null where the shape does not tell. */
  readonly kind: Kind | null;
  /** Throws a `TypeError`, with the library's own error as its cause, if the transaction has ended. */
  open(): Promise<Link>;
}

/** The transaction has ended, or none was begun. */
export class EndedError extends TypeError {}

/** `tx` is of no use here; the text completes the sentence "`tx` …". */
export class RefusedError extends TypeError {}

/** Members of something unknown. */
export type Members = Readonly<Record<PropertyKey, unknown>>;

export const members = (given: unknown): Members =>
  (typeof given === "object" || typeof given === "function") && given !== null ? (given as Members) : {};

export const has = (given: unknown, ...names: readonly PropertyKey[]): boolean =>
  names.every((name) => typeof members(given)[name] === "function");

/** A value as its class or type, for messages. */
export function nameOf(given: unknown): string {
  if (given === null || (typeof given !== "object" && typeof given !== "function")) return String(given);
  const name = typeof given === "function" ? "Function" : given.constructor?.name;
  return name ? `an object of the class ${name}` : "an object";
}
