/** A place in an index: the value of its `sort` column and the id. Pages are keyed, never counted from the start. */
export interface Position {
  readonly sort: string | number;
  readonly id: string;
}

/** Type of a column: `time` is an ISO 8601 UTC string with milliseconds. Every column may be null. */
export type ColumnType = "text" | "integer" | "boolean" | "time";

/** Rows with the same `equals` values, ordered by `sort` and then id. A row whose `sort` value is null is not in the index. */
export interface IndexSpec<Column extends string = string, Index extends string = string> {
  readonly equals: readonly Column[];
  readonly sort: Column;
  /**
   * The index with one more pinned column, and that column's possible values: its runs, merged, make up this index. SQL stores
   * have no index of their own for it.
   */
  readonly merges?: { readonly index: Index; readonly values: readonly (string | boolean | null)[] };
}

export interface CollectionSpec<Column extends string = string, Index extends string = string> {
  /** Members of the value that drivers keep as real columns; the rest of the value is opaque JSON. */
  readonly columns: Readonly<Record<Column, ColumnType>>;
  readonly indexes: Readonly<Record<Index, IndexSpec<Column, Index>>>;
}

const flags = [false, true, null] as const;
/** The status of a delivery. Every run of the index `target_status`, merged into `target`, has one of them. */
export const deliveryStatuses = ["succeeded", "failed", "retrying", "pending", "skipped"] as const;

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
  /** The part of a webhook that deliveries change, apart from the form so that the two don't conflict. */
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
      aside: "text",
      sender: "text",
    },
    indexes: {
      form: { equals: ["form_id"], sort: "created_at", merges: { index: "form_spam", values: flags } },
      form_spam: { equals: ["form_id", "spam"], sort: "created_at" },
      form_updated: { equals: ["form_id"], sort: "updated_at" },
      team: { equals: ["team_id"], sort: "created_at", merges: { index: "team_spam", values: flags } },
      team_spam: { equals: ["team_id", "spam"], sort: "created_at" },
      form_aside: { equals: ["form_id", "spam", "aside"], sort: "created_at" },
      team_aside: { equals: ["team_id", "spam", "aside"], sort: "created_at" },
      team_sender: { equals: ["team_id", "sender"], sort: "created_at" },
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
      status: { equals: ["status"], sort: "created_at" },
      form: { equals: ["form_id"], sort: "created_at" },
      form_status: { equals: ["form_id", "status"], sort: "created_at" },
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
  /** Small records with an expiry time: idempotency keys, used tokens, sent auto-responses. */
  marks: { columns: { expires_at: "time" }, indexes: { expiry: { equals: [], sort: "expires_at" } } },
  /** Posts whose sender has yet to confirm the address. A separate collection, so no other code finds them by accident. */
  pending_submissions: {
    columns: {
      form_id: "text",
      team_id: "text",
      created_at: "time",
      spam: "boolean",
      read: "boolean",
      country: "text",
      expires_at: "time",
    },
    indexes: {
      form: { equals: ["form_id"], sort: "created_at" },
      team: { equals: ["team_id"], sort: "created_at" },
      expiry: { equals: [], sort: "expires_at" },
    },
  },
  /** Forms that a visitor has begun to fill in, by form and the name that the page made up. */
  drafts: {
    columns: { form_id: "text", team_id: "text", expires_at: "time" },
    indexes: {
      form: { equals: ["form_id"], sort: "expires_at" },
      team: { equals: ["team_id"], sort: "expires_at" },
      expiry: { equals: [], sort: "expires_at" },
    },
  },
  /** Actions of people in the inbox. */
  audit: {
    columns: {
      team_id: "text",
      form_id: "text",
      user_id: "text",
      action: "text",
      created_at: "time",
      expires_at: "time",
    },
    indexes: {
      team: { equals: ["team_id"], sort: "created_at" },
      expiry: { equals: [], sort: "expires_at" },
    },
  },
  /**
   * Where to find the submissions with a label or an assignee, and the snoozed ones by the time of their return: a row for each
   * run that a submission is in. A post is in none.
   */
  submission_runs: {
    columns: { run: "text", at: "time" },
    indexes: { run: { equals: ["run"], sort: "at" } },
  },
  /** Deleted submissions until they are removed. A separate collection, so no other code finds them by accident. */
  trashed_submissions: {
    columns: {
      form_id: "text",
      team_id: "text",
      created_at: "time",
      spam: "boolean",
      read: "boolean",
      country: "text",
      attached: "boolean",
      aside: "text",
      expires_at: "time",
    },
    indexes: {
      form: { equals: ["form_id"], sort: "created_at" },
      team: { equals: ["team_id"], sort: "created_at" },
      expiry: { equals: [], sort: "expires_at" },
    },
  },
  /** Notes on submissions, and what was done with them. */
  activities: {
    columns: { submission_id: "text", created_at: "time" },
    indexes: { submission: { equals: ["submission_id"], sort: "created_at" } },
  },
  saved_replies: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { team: { equals: ["team_id"], sort: "created_at" } },
  },
  saved_views: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { team: { equals: ["team_id"], sort: "created_at" } },
  },
  /** What was written to and by the person who sent a submission. */
  messages: {
    columns: {
      submission_id: "text",
      form_id: "text",
      team_id: "text",
      message_key: "text",
      created_at: "time",
    },
    indexes: {
      submission: { equals: ["submission_id"], sort: "created_at" },
      team: { equals: ["team_id"], sort: "created_at" },
      /** By the Message-ID, as a hash: replies name it. */
      message_key: { equals: ["message_key"], sort: "created_at" },
    },
  },
  /** Addresses that a team's mail no longer goes to. */
  suppressions: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { team: { equals: ["team_id"], sort: "created_at" } },
  },
  /** Forms that visitors reported, or that a check found suspicious. */
  abuse_reports: {
    columns: { form_id: "text", team_id: "text", created_at: "time" },
    indexes: {
      all: { equals: [], sort: "created_at" },
      form: { equals: ["form_id"], sort: "created_at" },
      team: { equals: ["team_id"], sort: "created_at" },
    },
  },
  /** Deleted forms, until nothing is left of them. */
  deleted_forms: {
    columns: { team_id: "text", created_at: "time" },
    indexes: { all: { equals: [], sort: "created_at" }, team: { equals: ["team_id"], sort: "created_at" } },
  },
} as const satisfies Record<string, CollectionSpec>;

export type CollectionName = keyof typeof collections;
type Declared = typeof collections;

/** Typed so that an index can only name columns and indexes of its own collection. */
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

/** Index order: the sort value, then the id. */
export function comparePositions(a: Position, b: Position): number {
  if (a.sort !== b.sort) return a.sort < b.sort ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
