import type { Input } from "../client/index.ts";
import { misuse } from "./failure.ts";
import { safeLine } from "./text.ts";

/** Options of lists and exports. */
export interface Filters {
  readonly status?: "inbox" | "spam" | "all" | "pending";
  readonly after?: string;
  readonly before?: string;
  readonly search?: string;
  readonly unread?: boolean;
  readonly where?: readonly string[];
}

/** `NAME=value` of `--where` as filters of the API. */
function conditions(where: readonly string[] = []): Input<"listSubmissions">["field"] {
  const pairs = where.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw misuse(`--where ${safeLine(text)}: write it as NAME=value.`);
    return [text.slice(0, at), { eq: text.slice(at + 1) }] as const;
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

export const filtersOf = ({ status, after, before, search, unread, where }: Filters) => ({
  status,
  created_after: after,
  created_before: before,
  q: search,
  read: unread ? false : undefined,
  field: conditions(where),
});
