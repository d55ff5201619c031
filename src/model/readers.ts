import { DAY_MS } from "../lib/clock.ts";

/** After this time a submission counts as read by everybody as soon as somebody has read it. */
export const APART_MS = 90 * DAY_MS;
/** People that are told apart. */
const MOST = 200;

/** What says who has read a submission. Nobody is named in one that was read over the API, or before people were told apart. */
interface Read {
  readonly read: boolean;
  readonly read_by?: readonly string[];
  readonly created_at: string;
}

/**
 * True if this person has yet to read it; without a person, if nobody has. It looks at no clock: names that are too old go with the
 * sweep, so that lists and counts change at the same moment.
 */
export const isUnreadBy = ({ read, read_by = [] }: Omit<Read, "created_at">, person: string | undefined): boolean =>
  !read || (person !== undefined && read_by.length > 0 && !read_by.includes(person));

/** The people who have read it, with one more; undefined where nobody is told apart any more. */
export function withReader(
  { read_by = [], created_at }: Omit<Read, "read">,
  person: string,
  now: number,
): string[] | undefined {
  if (now - Date.parse(created_at) >= APART_MS) return undefined;
  return [...read_by.filter((one) => one !== person), person].slice(-MOST);
}
