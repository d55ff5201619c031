import { errorMessage } from "../../../lib/message.ts";
import { StaleWriteError, StoreDownError } from "../types.ts";

/** A server's details of a failure, as mysql2 passes them on. */
interface ServerError {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly fatal?: unknown;
}

/** The server's number of an error; 0 if it is not from the server. */
export function errorNumber(error: unknown): number {
  const { errno } = (error ?? {}) as ServerError;
  return typeof errno === "number" && errno > 1_000 ? errno : 0;
}

export const DUPLICATE = 1062;
export const NO_SAVEPOINT = 1305;
export const DEADLOCK = 1213;

/** A deadlock, a wait for a lock that took too long, and a row that changed since it was read: the transaction may try again. */
export const isRace = (error: unknown): boolean => [DEADLOCK, 1205, 1020].includes(errorNumber(error));

/** True if the connection is of no more use. */
export function isCut(error: unknown): boolean {
  const errno = errorNumber(error);
  if (errno === 0) return !(error instanceof TypeError || error instanceof StaleWriteError);
  return (error as ServerError).fatal === true || [1053, 1927, 1152, 1153, 1158, 1159, 1160, 1161].includes(errno);
}

const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const NOT_ASKED = /^(1040|1044|1045|1049|1203|1226)$|Pool is closed|Queue limit reached/;

/** The same failure with a way out, where the cause is known. */
export function explain(error: unknown): unknown {
  if (error instanceof StoreDownError || error instanceof StaleWriteError || error instanceof TypeError) return error;
  const code = String(errorNumber(error) || ((error as ServerError | null)?.code ?? ""));
  const message = errorMessage(error);
  if (code === "1406")
    return new TypeError(`[form-backend] mysql: an id or a column is too long (${message})`, { cause: error });
  const known = reasons.find(([pattern]) => pattern.test(code) || pattern.test(message));
  // A statement that failed with a server's error was rolled back, and without a connection none was sent.
  const nothingWritten = !isCut(error) || UNREACHABLE.test(code) || NOT_ASKED.test(code) || NOT_ASKED.test(message);
  if (known) {
    return new StoreDownError(`[form-backend] mysql: ${known[1]} (${message})`, { cause: error, nothingWritten });
  }
  return isCut(error)
    ? new StoreDownError(`[form-backend] mysql: the connection failed (${message})`, { cause: error })
    : error;
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /Pool is closed/,
    "the pool was ended; pass one that lives as long as the backend, and end it after `backend.close()`",
  ],
  [/Queue limit reached/, "all connections of the pool are taken; raise its `connectionLimit` or `queueLimit`"],
  [UNREACHABLE, "the server can't be reached; make sure it is running, and check host and port"],
  [/^1045$/, "the server refuses the user or password; check them in the pool or uri"],
  [/^1049$/, "the database does not exist; run: CREATE DATABASE … CHARACTER SET utf8mb4"],
  [
    /^(1040|1203|1226)$/,
    "the server has no connection left; lower the pool's `connectionLimit`, or raise `max_connections`",
  ],
  [/^(1021|1114|1041|1037)$/, "the server has no room left; free disk or memory"],
  [
    /^(1290|1792|1836|3100)$/,
    "the server or the session is read-only; connect to the primary, with a user that may write",
  ],
  [
    /^(1044|1142|1143|1227)$/,
    "the user lacks rights; run: GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON the database TO the user",
  ],
  [
    /^(1146|1054)$/,
    "tables are missing or altered; name the right database and prefix, or restart to have them created",
  ],
  [/^1153$/, "a submission is larger than `max_allowed_packet`; run: SET GLOBAL max_allowed_packet = 67108864"],
  [/^(1205|1213)$/, "other transactions held its rows all the time; end long transactions on the tables"],
  [
    /^(1317|3024|1969)$/,
    "the statement took too long and was cancelled; narrow the filter, or give the server more power",
  ],
  [/^1053$/, "the server is shutting down or starting"],
];
