import { z } from "zod";
import { block, list, moment, nullable, number, oneOf, text, time } from "../lib/leaves.ts";
import { Cursor } from "../lib/wire.ts";

const auditWays = ["inbox", "api", "mcp", "cli", "in_process", "link"] as const;
/** The way by which something was done: the inbox, the HTTP API, MCP, the command line, a call in process, or the link that a sender has. */
export type AuditWay = (typeof auditWays)[number];

const auditActors = ["person", "key", "token", "host", "sender"] as const;
/** Who did it: a person, an API key, an access token, the host itself, or the sender of a submission. */
export type AuditActor = (typeof auditActors)[number];

/** An act of somebody, as it is kept. */
export interface AuditRecord {
  team_id: string;
  /** Null where it was done to no form. */
  form_id: string | null;
  actor: AuditActor;
  /** The host's id of the person, the id of the key or the subject of the token. */
  user_id: string;
  user_name: string;
  via: AuditWay;
  action: string;
  /** The first targets; empty if it applied to all that match a filter. */
  ids: string[];
  /** The number of all targets. */
  count: number;
  created_at: string;
  /** Null where the plan keeps it for good. */
  expires_at: string | null;
}

/** Reads an entry from the store. */
export const auditLeaf = block<AuditRecord>({
  team_id: text(),
  form_id: nullable(text()),
  actor: oneOf(auditActors, "person"),
  user_id: text(""),
  user_name: text(""),
  via: oneOf(auditWays, "inbox"),
  action: text(""),
  ids: list(text()),
  count: number(0),
  created_at: moment(),
  expires_at: nullable(time()),
});

/** Something that somebody did, in `backend.audit` and in its export. */
export interface AuditEntry {
  /** The id of the entry. */
  id: string;
  /** The time. */
  at: string;
  /** Such as `update_form`, `delete` or `create_key`. */
  action: string;
  /** The way by which it was done. */
  via: AuditWay;
  /** Who did it. */
  actor: {
    /** A person of the inbox or of your `authenticate`, an API key, an access token, the host in process, or the sender of a submission. */
    type: AuditActor;
    /** Your id of the person, the id of the key, the subject of the token, or `host`; empty for a sender. */
    id: string;
    /** The name of the person or of the key; empty without one. */
    name: string;
  };
  /** The team. */
  team_id: string;
  /** The form; null where it was done to none. */
  form_id: string | null;
  /** The first 100 targets; empty if it applied to all that match a filter, or where they would name a person. */
  ids: string[];
  /** The number of all targets. */
  count: number;
}

const filters = {
  /** The team; required as soon as there are several. */
  team_id: z.string().optional(),
  /** Only what was done to this form. */
  form_id: z.string().optional(),
  /** Only what was done by the actor with this id. */
  actor_id: z.string().optional(),
  /** Only this action. */
  action: z.string().optional(),
};

/** Filters and position of a page of the audit. */
export const AuditListQuery = z.strictObject({
  ...filters,
  /** Entries per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type AuditListQuery = z.input<typeof AuditListQuery>;

/** A page of the audit, and the cursor of the next one. */
export interface AuditList {
  /** The entries of this page, newest first. */
  data: AuditEntry[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}

/** Filters and format of the export of an audit. */
export const AuditExportQuery = z.strictObject({
  ...filters,
  /** A table, or one JSON object a line. */
  format: z.enum(["csv", "ndjson"]).default("ndjson"),
});
export type AuditExportQuery = z.input<typeof AuditExportQuery>;
