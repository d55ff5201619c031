import type { FrozenTable } from "./frozen.ts";

const byForm = { name: "form", keys: ["form_id", "created_at", "id"], sort: "created_at" } as const;
const byTeam = { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" } as const;

/** The tables that migration 7 adds, and that of submissions with its new column. Released: never change this list. */
export const tables7: readonly FrozenTable[] = [
  {
    collection: "submissions",
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
    },
    indexes: [
      { name: "form_spam", keys: ["form_id", "spam", "created_at", "id"], sort: "created_at" },
      { name: "form_updated", keys: ["form_id", "updated_at", "id"], sort: "updated_at" },
      { name: "team_spam", keys: ["team_id", "spam", "created_at", "id"], sort: "created_at" },
      { name: "form_aside", keys: ["form_id", "spam", "aside", "created_at", "id"], sort: "created_at" },
      { name: "team_aside", keys: ["team_id", "spam", "aside", "created_at", "id"], sort: "created_at" },
    ],
  },
  {
    collection: "submission_runs",
    columns: { run: "text", at: "time" },
    indexes: [{ name: "run", keys: ["run", "at", "id"], sort: "at" }],
  },
  {
    collection: "trashed_submissions",
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
    indexes: [byForm, byTeam, { name: "expiry", keys: ["expires_at", "id"], sort: "expires_at" }],
  },
  {
    collection: "activities",
    columns: { submission_id: "text", created_at: "time" },
    indexes: [{ name: "submission", keys: ["submission_id", "created_at", "id"], sort: "created_at" }],
  },
  { collection: "saved_replies", columns: { team_id: "text", created_at: "time" }, indexes: [byTeam] },
  { collection: "saved_views", columns: { team_id: "text", created_at: "time" }, indexes: [byTeam] },
];
