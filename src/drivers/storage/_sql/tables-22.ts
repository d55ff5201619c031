import type { FrozenTable } from "./frozen.ts";

/** The table of submissions with the column that migration 22 adds. Released: never change this list. */
export const tables22: readonly FrozenTable[] = [
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
      sender: "text",
    },
    indexes: [
      { name: "form_spam", keys: ["form_id", "spam", "created_at", "id"], sort: "created_at" },
      { name: "form_updated", keys: ["form_id", "updated_at", "id"], sort: "updated_at" },
      { name: "team_spam", keys: ["team_id", "spam", "created_at", "id"], sort: "created_at" },
      { name: "form_aside", keys: ["form_id", "spam", "aside", "created_at", "id"], sort: "created_at" },
      { name: "team_aside", keys: ["team_id", "spam", "aside", "created_at", "id"], sort: "created_at" },
      { name: "team_sender", keys: ["team_id", "sender", "created_at", "id"], sort: "created_at" },
    ],
  },
];
