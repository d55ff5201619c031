/** How a column is kept: `time` is an ISO 8601 UTC string with milliseconds. Every column may be null. */
export type ColumnType = "text" | "integer" | "boolean" | "time";

/** Rows with the same `equals` values, ordered by `sort` and then id. A row whose `sort` value is null is not in the index. */
export interface IndexSpec<Column extends string = string, Index extends string = string> {
  readonly equals: readonly Column[];
  readonly sort: Column;
  /**
   * The index that pins one column more, and all that this column may hold: its runs, merged, are this index. SQL stores keep
   * none of its own for it.
   */
  readonly merges?: { readonly index: Index; readonly values: readonly (string | boolean | null)[] };
}

export interface CollectionSpec<Column extends string = string, Index extends string = string> {
  /** Members of the value that drivers keep as real columns; the rest of the value is opaque JSON. */
  readonly columns: Readonly<Record<Column, ColumnType>>;
  readonly indexes: Readonly<Record<Index, IndexSpec<Column, Index>>>;
}

const flags = [false, true, null] as const;
/** As in `jobs/schema.ts`. */
const deliveryStatuses = ["succeeded", "failed", "retrying", "pending", "skipped"] as const;

/** Every collection the library keeps, declared once for all drivers. The primary key is always `id`, a string. */
export const collections = {
  teams: { columns: { created_at: "time" }, indexes: { all: { equals: [], sort: "created_at" } } },
  keys: {
    columns: { hash: "text", team_id: "text", created_at: "time" },
    indexes: {
      all: { equals: [], sort: "created_at" },
      team: { equals: ["team_id"], sort: "created_at" },
      hash: { equals: ["hash"], sort: "created_at" },
    },
  },
  email_servers: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { all: { equals: [], sort: "created_at" }, team: { equals: ["team_id"], sort: "created_at" } },
  },
  forms: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { all: { equals: [], sort: "created_at" }, team: { equals: ["team_id"], sort: "created_at" } },
  },
  /** What settling a delivery changes of a webhook, apart from the form so that configuration and traffic do not contend. */
  webhook_states: { columns: {}, indexes: {} },
  images: {
    columns: { form_id: "text", created_at: "time" },
    indexes: { form: { equals: ["form_id"], sort: "created_at" } },
  },
  submissions: {
    columns: {
      form_id: "text",
      team_id: "text",
      created_at: "time",
      updated_at: "time",
      spam: "boolean",
      read: "boolean",
      country: "text",
      attached: "boolean",
    },
    indexes: {
      form: { equals: ["form_id"], sort: "created_at", merges: { index: "form_spam", values: flags } },
      form_spam: { equals: ["form_id", "spam"], sort: "created_at" },
      form_updated: { equals: ["form_id"], sort: "updated_at" },
      team: { equals: ["team_id"], sort: "created_at", merges: { index: "team_spam", values: flags } },
      team_spam: { equals: ["team_id", "spam"], sort: "created_at" },
    },
  },
  /** Content of forms that do not store submissions, kept only until its emails and webhooks have run. */
  transient_submissions: {
    columns: { form_id: "text", created_at: "time" },
    indexes: { all: { equals: [], sort: "created_at" } },
  },
  files: {
    columns: { submission_id: "text", created_at: "time" },
    indexes: { submission: { equals: ["submission_id"], sort: "created_at" } },
  },
  /** One row per delivery: a submission and a target (a webhook or one address). The work list is the index `due`. */
  jobs: {
    columns: {
      lane: "text",
      target: "text",
      form_id: "text",
      submission_id: "text",
      status: "text",
      due_at: "time",
      leased: "boolean",
      lost: "integer",
      occurred_at: "time",
      created_at: "time",
    },
    indexes: {
      due: { equals: ["lane"], sort: "due_at" },
      all: { equals: [], sort: "created_at" },
      form: { equals: ["form_id"], sort: "created_at" },
      submission: { equals: ["submission_id"], sort: "created_at" },
      target: {
        equals: ["target"],
        sort: "occurred_at",
        merges: { index: "target_status", values: deliveryStatuses },
      },
      target_status: { equals: ["target", "status"], sort: "occurred_at" },
    },
  },
  /** Counter rows `{ n, at }`, written by `add` only. */
  counters: { columns: {}, indexes: {} },
  /** Small records that end by themselves: idempotency keys, spent tokens, sent auto-responses. */
  marks: { columns: { expires_at: "time" }, indexes: { expiry: { equals: [], sort: "expires_at" } } },
} as const satisfies Record<string, CollectionSpec>;

export type CollectionName = keyof typeof collections;
type Declared = typeof collections;

/** Typed so that an index can name nothing but columns and indexes of its own collection. */
const specs: {
  readonly [C in CollectionName]: CollectionSpec<
    keyof Declared[C]["columns"] & string,
    keyof Declared[C]["indexes"] & string
  >;
} = collections;

/** The declaration of a collection by name. Throws where a caller made the name up. */
export function collectionSpec(name: string): CollectionSpec {
  const spec: CollectionSpec | undefined = Object.hasOwn(collections, name) ? specs[name as CollectionName] : undefined;
  if (!spec) throw new Error(`[form-backend] unknown collection "${name}"`);
  return spec;
}

/** The declaration of an index by name. Throws where a caller made the name up. */
export function indexSpec(collection: string, index: string): IndexSpec {
  const spec = collectionSpec(collection).indexes[index];
  if (!spec) throw new Error(`[form-backend] unknown index "${collection}.${index}"`);
  return spec;
}
