import type { Partition } from "../../core/paging.ts";
import type { Condition } from "../../drivers/storage/types.ts";
import { wrongParameter } from "../../errors.ts";
import { type Caller, personOf } from "../../model/keys.ts";
import { isSourceName } from "../../model/source.ts";
import type { SubmissionFilters } from "../../model/submission-queries.ts";
import type { Aside } from "../../model/work.ts";
import type { SearchedField } from "./protected-fields.ts";
import { asides } from "./runs.ts";

const MAX_FILTERS = 5;
const MAX_NAME = 200;
const MAX_IN = 20;
const MAX_WORDS = 20;
const operators = ["eq", "contains", "starts_with", "exists", "in"] as const;

/** Filters as the store takes them. */
export interface Selection {
  /** The collection that stores them. */
  readonly collection: "submissions" | "pending_submissions" | "trashed_submissions";
  /** Null = with either spam flag. */
  readonly spam: boolean | null;
  /** The place that the run of the index is limited to; undefined = any. */
  readonly aside: Aside | null | undefined;
  /** Conditions on work that no column has; null without any. */
  readonly work: WorkCondition | null;
  readonly where: readonly Condition[];
  /** The fields that it names. */
  readonly named: readonly SearchedField[];
  /** The parameter that looks for text in every value; null where none does. */
  readonly everywhere: "q" | "words" | null;
  /** It looks into values, so it is limited by `scan_concurrency`. */
  readonly filtered: boolean;
}

/** What is asked of the work on a submission. */
export interface WorkCondition {
  /** The id of a person; null = nobody; undefined = anybody or nobody. */
  readonly assignee: string | null | undefined;
  readonly label: string | undefined;
  /** The places that it may have. */
  readonly asides: readonly (Aside | null)[];
}

/**
 * Takes the filters of a list, count or export apart. `caller` is who `assignee=me` means. Throws `invalid_parameter` with the
 * parameter's whole name.
 */
export function selectionOf(filters: SubmissionFilters, caller: Caller): Selection {
  const {
    status,
    read,
    country,
    created_after,
    created_before,
    q,
    words,
    field = {},
    source = {},
    state,
    assignee,
    label,
  } = filters;
  const where: Condition[] = fieldConditions("field", field);
  const params = Object.keys(field);
  const named = where.flatMap((one, i) =>
    "field" in one && one.field !== null ? { name: one.field, param: `field${params[i]}` } : [],
  );
  where.push(...sourceConditions(source, where.length));
  if (q !== undefined) where.push({ field: null, op: "contains", value: q });
  if (words !== undefined) where.push(...wordConditions(words));
  const filtered = where.length > 0;
  if (read !== undefined) where.push({ column: "read", op: "in", value: [read] });
  if (country !== undefined) where.push({ column: "country", op: "in", value: country });
  if (created_after !== undefined) where.push({ column: "created_at", op: "gte", value: created_after });
  if (created_before !== undefined) where.push({ column: "created_at", op: "lt", value: created_before });
  const collection =
    status === "pending" ? "pending_submissions" : status === "trash" ? "trashed_submissions" : "submissions";
  const spam = status === "inbox" ? false : status === "spam" ? true : null;
  const aside = state === undefined ? undefined : state === "open" ? null : state;
  // The index by place needs a spam flag; a list of both kinds passes over the others.
  if (aside !== undefined && spam === null && collection !== "pending_submissions")
    where.push({ column: "aside", op: "in", value: [aside] });
  return {
    collection,
    spam,
    aside: spam === null ? undefined : aside,
    work:
      assignee === undefined && label === undefined && (aside === undefined || collection !== "pending_submissions")
        ? null
        : { assignee: assigneeOf(assignee, caller), label, asides: aside === undefined ? asides : [aside] },
    where,
    named,
    everywhere: q !== undefined ? "q" : words !== undefined ? "words" : null,
    filtered,
  };
}

const assigneeOf = (given: string | undefined, caller: Caller): string | null | undefined =>
  given === "none" ? null : given === "me" ? personOf(caller).id : given;

/** The run of the index with a form's or a team's submissions that have this spam flag and this place. */
export function partitionOf(
  of: "form" | "team",
  id: string,
  { spam, aside }: Pick<Selection, "spam" | "aside">,
): Partition {
  const equals = { [`${of}_id`]: id };
  if (spam === null) return { index: of, equals };
  return aside === undefined
    ? { index: `${of}_spam`, equals: { ...equals, spam } }
    : { index: `${of}_aside`, equals: { ...equals, spam, aside } };
}

/** One condition for each word or quoted phrase. A quote that is not closed reaches to the end. */
function wordConditions(text: string): Condition[] {
  const found = [...text.matchAll(/"([^"]*)"?|[^\s"]+/gu)].map(([all, phrase]) => (phrase ?? all).trim());
  const words = [...new Set(found)].filter((word) => word !== "");
  if (words.length === 0) throw wrongParameter("words", "must have a word");
  if (words.length > MAX_WORDS) throw wrongParameter("words", `must have at most ${MAX_WORDS} words and phrases`);
  return words.map((value) => ({ field: null, op: "contains", value }));
}

/** Conditions for members of the source, which no policy of fields protects. */
function sourceConditions(filters: Readonly<Record<string, string | string[]>>, before: number): Condition[] {
  return fieldConditions("source", filters, before).map((one): Condition => {
    if (!("field" in one)) return one;
    const { field } = one;
    if (field === null || !isSourceName(field)) {
      throw wrongParameter(
        `source[${field}]`,
        "is no member of a source; they are utm_*, gclid, fbclid, msclkid, landing_page and referrer",
      );
    }
    return { ...one, of: "source" };
  });
}

/** The keys are the part after `field` in a parameter's name: `[NAME][OP]`, where NAME may contain brackets itself. */
function fieldConditions(
  of: "field" | "source",
  filters: Readonly<Record<string, string | string[]>>,
  before = 0,
): Condition[] {
  return Object.entries(filters).map(([key, value], i): Condition => {
    const param = `${of}${key}`;
    const refuse = (reason: string): never => {
      throw wrongParameter(param, reason);
    };
    const [, name = "", op = ""] = /^\[(.*)\]\[(\w+)\]$/su.exec(key) ?? refuse(`must be written ${of}[NAME][OP]=value`);
    if (name === "" || name.length > MAX_NAME)
      refuse(`must name a ${of === "field" ? "field" : "member"} with 1 to ${MAX_NAME} characters`);
    if (before + i >= MAX_FILTERS)
      refuse(`is one too many: a request can have at most ${MAX_FILTERS} of these filters`);
    const text = Array.isArray(value) ? value.join(",") : value;
    switch (op) {
      case "eq":
      case "contains":
      case "starts_with":
        return { field: name, op, value: text };
      case "exists":
        if (text !== "true" && text !== "false") refuse("must be true or false");
        return { field: name, op, value: text === "true" };
      case "in": {
        const values = Array.isArray(value) ? value : value === "" ? [] : value.split(",");
        if (values.length === 0 || values.length > MAX_IN) refuse(`must list 1 to ${MAX_IN} values`);
        return { field: name, op, value: values };
      }
      default:
        return refuse(`has the operator ${op}, which is not one of ${operators.join(", ")}`);
    }
  });
}
