/**
 * Reads one value of a stored record. Returns it as it is where it is sound, and its default where it is absent: in records of
 * an earlier version, which did not know it. Null counts as absent where a value can't be null, because SQL stores read a column
 * that was never written as null. Throws a `LeafError` for a value of another type.
 */
export interface Leaf<T> {
  readonly read: (stored: unknown) => T;
}

/** One leaf for each member of a record: a member without one is a compile error. */
export type Leaves<T> = { readonly [K in keyof T]-?: Leaf<T[K]> };

/** Says which leaf of a record can't be read, and why. */
export class LeafError extends Error {
  override readonly name = "LeafError";
  /** The leaf's dot path in the record; empty for the record itself. */
  readonly path: string;
  readonly fault: string;

  constructor(path: string, fault: string) {
    super(`\`${path}\` ${fault}`);
    this.path = path;
    this.fault = fault;
  }
}

/** A text. Without a default it is required, because the record means nothing without it. */
export const text = (fallback?: string): Leaf<string> => leaf("a text", (value) => typeof value === "string", fallback);

/** The first test is for speed: each record has several times, and the store writes them all like this. */
const isTime = (value: unknown): value is string =>
  typeof value === "string" &&
  (/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/.test(value) ||
    !Number.isNaN(Date.parse(value)));

/** A required time, as text that `Date.parse` reads. */
export const time = (): Leaf<string> => leaf("a time", isTime, undefined);

/** A time. If it is absent: the earliest one. */
export const moment = (): Leaf<string> => leaf("a time", isTime, "1970-01-01T00:00:00.000Z");

/** A finite number. JSON has no others. */
export const number = (fallback?: number): Leaf<number> =>
  leaf("a number", (value) => typeof value === "number", fallback);

/** True or false. */
export const flag = (fallback?: boolean): Leaf<boolean> =>
  leaf("true or false", (value) => typeof value === "boolean", fallback);

/** One of a few texts. A newer version may have written another one, which this version would treat wrongly. */
export const oneOf = <T extends string>(values: readonly T[], fallback?: T): Leaf<T> => {
  const known: ReadonlySet<unknown> = new Set(values);
  return leaf(`one of ${values.join(", ")}`, (value): value is T => known.has(value), fallback);
};

/** The name of a row of `table`. Rows that are added later count too. */
export const keyOf = <T extends object>(table: T): Leaf<keyof T & string> =>
  leaf(
    `one of ${Object.keys(table).join(", ")}`,
    (value): value is keyof T & string => typeof value === "string" && Object.hasOwn(table, value),
    undefined,
  );

/** Null where it is absent. */
export const nullable = <T>({ read }: Leaf<T>): Leaf<T | null> => ({
  read: (stored) => (stored === undefined || stored === null ? null : read(stored)),
});

/** A member that a record may leave out. */
export const optional = <T>({ read }: Leaf<T>): Leaf<T | undefined> => ({
  read: (stored) => (stored === undefined || stored === null ? undefined : read(stored)),
});

/** A list; `fallback`, by default empty, where it is absent. */
export const list = <T>({ read }: Leaf<T>, fallback: readonly T[] = []): Leaf<T[]> => ({
  read(stored) {
    if (stored === undefined || stored === null) return [...fallback];
    if (!Array.isArray(stored)) throw wrong("a list", stored);
    let out: T[] = stored;
    let at = 0;
    try {
      for (; at < stored.length; at++) {
        const entry = read(stored[at]);
        if (entry === stored[at]) continue;
        if (out === stored) out = [...stored];
        out[at] = entry;
      }
    } catch (error) {
      throw below(String(at), error);
    }
    return out;
  },
});

/** A map from texts to leaves; empty where it is absent. */
export const dictionary = <T>({ read }: Leaf<T>): Leaf<Record<string, T>> => ({
  read(stored) {
    if (stored === undefined || stored === null) return {};
    const found = asObject(stored);
    return filled(found, Object.keys(found), read) as Record<string, T>;
  },
});

/** An object of leaves; where it is absent, each of its leaves is. Members that are not named stay as they are. */
export function block<T extends object>(leaves: Leaves<T>): Leaf<T> {
  const keys = Object.keys(leaves);
  const reads = Object.values<Leaf<unknown>>(leaves).map(({ read }) => read);
  return {
    read: (stored) => filled(stored === undefined || stored === null ? {} : asObject(stored), keys, reads) as T,
  };
}

type Plain = Record<string, unknown>;

type Read = Leaf<unknown>["read"];

/**
 * `found` itself while all of its leaves are sound: reading is on the path of every post and every delivery, so a leaf takes one call
 * and nothing else. `reads` are those of the keys, or one for all.
 */
function filled(found: Plain, keys: readonly string[], reads: Read | readonly Read[]): Plain {
  let out = found;
  let at = 0;
  try {
    for (; at < keys.length; at++) {
      const key = keys[at] as string;
      const before = found[key];
      const after = typeof reads === "function" ? reads(before) : (reads[at] as Read)(before);
      if (after === before) continue;
      if (out === found) out = { ...found };
      if (after === undefined) delete out[key];
      else out[key] = after;
    }
  } catch (error) {
    throw below(keys[at] as string, error);
  }
  return out;
}

/** The error of a leaf with the key that leads to it. */
const below = (key: string, error: unknown): unknown =>
  error instanceof LeafError ? new LeafError(error.path === "" ? key : `${key}.${error.path}`, error.fault) : error;

function leaf<T>(expected: string, holds: (value: unknown) => value is T, fallback: T | undefined): Leaf<T> {
  return {
    read(stored) {
      if (holds(stored)) return stored;
      if (stored !== undefined && stored !== null) throw wrong(expected, stored);
      if (fallback === undefined) throw new LeafError("", "is missing");
      return fallback;
    },
  };
}

function asObject(stored: unknown): Plain {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) throw wrong("an object", stored);
  return stored as Plain;
}

const names: Readonly<Record<string, string>> = { string: "a text", number: "a number", boolean: "true or false" };

/** Names the type only: the value may be a visitor's. */
function wrong(expected: string, found: unknown): LeafError {
  const is = Array.isArray(found) ? "a list" : (names[typeof found] ?? "an object");
  const another = is === "a text" && (expected === "a time" || expected.startsWith("one of"));
  return new LeafError("", `must be ${expected}, not ${another ? "another text" : is}`);
}
