import { ApiError } from "../../errors.ts";
import type { Dialect } from "../dialects/_dialect.ts";
import { beyond, type FieldCollector, MAX_FIELD_BYTES, MAX_FIELDS } from "./fields.ts";

/** The form's name that came in a field, and that field. */
interface Named {
  readonly field: string;
  readonly name: string;
}

/** A collector that replaces another service's special fields by ours. */
export interface Translator extends FieldCollector {
  /** The dialect of the post; null as long as nothing tells which of several it is. */
  dialect(): Dialect | null;
  /** Null as long as no field has named the form. */
  named(): Named | null;
}

/** Several dialects share an address: the spelling of the field with the form's name tells which of them a post is in. */
export function translate(into: FieldCollector, among: readonly Dialect[]): Translator {
  let dialect = among.length === 1 ? (among[0] as Dialect) : null;
  let named: Named | null = null;
  let waiting: (readonly [string, string])[] = [];
  let count = 0;
  let bytes = 0;

  const pass = (key: string, value: string): void => {
    const meaning = dialect?.fields.get(key);
    if (!meaning) {
      if (!dialect?.droppedPrefixes.some((prefix) => key.startsWith(prefix))) into.add(key, value);
      return;
    }
    if (meaning.as !== null && value !== meaning.ignored) into.add(meaning.as, value);
    if (meaning.kept) into.add(key, value);
  };
  const passWaiting = (): void => {
    const all = waiting;
    waiting = [];
    for (const [key, value] of all) pass(key, value);
  };

  return {
    dialect: () => dialect,
    named: () => named,
    isWhole: into.isWhole,
    claims: into.claims,
    add(key, value) {
      // Fields that are dropped or wait count as well.
      if (++count > MAX_FIELDS) throw beyond(`at most ${MAX_FIELDS} fields`);
      const owner = among.find(({ keyFields }) => keyFields.includes(key));
      if (owner && named === null) {
        named = { field: key, name: value.trim() };
        dialect = owner;
        passWaiting();
      } else if (dialect) pass(key, value);
      else {
        bytes += key.length + value.length;
        if (bytes > MAX_FIELD_BYTES) throw beyond("at most 1 MB of fields");
        waiting.push([key, value]);
      }
    },
    end() {
      passWaiting();
      into.end();
    },
    done(files) {
      passWaiting();
      return into.done(files);
    },
  };
}

/** The refusal of a post that names no form in its body. */
export function unnamed(among: readonly Dialect[]): ApiError {
  const param = among[0]?.keyFields[0] ?? "";
  const names = among.map(({ keyFields }) => `\`${keyFields[0]}\``).join(" or ");
  return new ApiError("invalid_parameter", { param, message: `Send the form's name as ${names}, before any files.` });
}
