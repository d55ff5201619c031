import { errorMessage } from "../../../lib/message.ts";
import { StaleWriteError, StoreDownError } from "../types.ts";

/** PostgreSQL's details of a failure, as pg, postgres.js and PGlite pass them on. */
export interface ServerError {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly message?: unknown;
}

/** The SQLSTATE of an error, undefined if it is not from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as ServerError | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Ours, raised by the functions that write. */
export const STALE = "FB409";

export const TIMEOUT = "57014";

/** Two transactions that can't both go on: the loser may simply try again. */
export const isRace = (error: unknown): boolean => ["40001", "40P01"].includes(sqlState(error) ?? "");

/** True if the connection is of no more use. */
export function isCut(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? !(error instanceof TypeError) : /^(08|57P0)/.test(state);
}

/** The same failure with a way out, where the cause is known. */
export function explain(error: unknown, schema: string): unknown {
  if (error instanceof StoreDownError || error instanceof StaleWriteError || error instanceof TypeError) return error;
  const state = sqlState(error) ?? String((error as ServerError | null)?.code ?? "");
  const message = errorMessage(error);
  const known = reasons.find(([pattern]) => pattern.test(state) || pattern.test(message));
  // A statement that failed with a server's error was rolled back, and without a connection none was sent.
  const nothingWritten = !isCut(error) || UNASKED.test(state) || UNASKED.test(message);
  if (known) {
    const text = `[form-backend] postgres: ${known[1](schema)} (${message})`;
    return new StoreDownError(text, { cause: error, nothingWritten });
  }
  return isCut(error)
    ? new StoreDownError(`[form-backend] postgres: the connection failed (${message})`, { cause: error })
    : error;
}

/**
 * The messages of pg's pool at its `connectionTimeoutMillis`, while all connections are taken, and while one is being made; the code
 * of postgres.js.
 */
const NOT_IN_TIME = /timeout exceeded when trying to connect|terminated due to connection timeout|^CONNECT_TIMEOUT$/;
const UNASKED = new RegExp(
  `^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$|after calling end on the pool|${NOT_IN_TIME.source}`,
);

export const rowSecurity = (schema: string): string =>
  `row level security is not supported, and is on for the user in tables of the schema "${schema}"; turn it off with ALTER TABLE … DISABLE ROW LEVEL SECURITY, or connect as a user with BYPASSRLS`;

const reasons: readonly (readonly [RegExp, (schema: string) => string])[] = [
  [
    /after calling end on the pool|CONNECTION_ENDED/,
    () => "the pool was ended; pass one that lives as long as the backend, and end it after `backend.close()`",
  ],
  [
    NOT_IN_TIME,
    () => "no connection in time: the server does not answer, or all of the pool are taken (raise its `max`)",
  ],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
    () => "the server can't be reached; make sure it is running, and check host and port",
  ],
  [/^28/, () => "the server refuses the user or password; check them in the pool or connectionString"],
  [/^3D000$/, () => "the database does not exist; create it, or name another one"],
  [/^53300$/, () => "the server has no connection left; lower the pool's `max`, or raise `max_connections`"],
  [/^53/, () => "the server has no room left; free disk or memory"],
  [/^25006$/, () => "the server or the session is read-only; connect to the primary, with a user that may write"],
  // Its code is that of missing rights, so its message has to tell.
  [/row-level security/, rowSecurity],
  [
    /^42501$/,
    (schema) =>
      `the user lacks rights on the schema "${schema}"; grant them, or let its owner run what postgresMigrations() prints`,
  ],
  [
    /^(3F000|42P01|42703|42883)$/,
    (schema) =>
      `tables or functions of the schema "${schema}" are missing or altered; name the right schema, or restart to have them created`,
  ],
  [/^57014$/, () => "the statement took too long and was cancelled; narrow the filter, or give the server more power"],
  [/^57P0[123]$/, () => "the server is shutting down or starting"],
];
