import type { FrozenTable } from "./frozen.ts";

/** The tables that migration 8 adds. Released: never change this list. */
export const tables8: readonly FrozenTable[] = [
  {
    collection: "messages",
    columns: {
      submission_id: "text",
      form_id: "text",
      team_id: "text",
      message_key: "text",
      created_at: "time",
    },
    indexes: [
      { name: "submission", keys: ["submission_id", "created_at", "id"], sort: "created_at" },
      { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" },
      { name: "message_key", keys: ["message_key", "created_at", "id"], sort: "created_at" },
    ],
  },
  {
    collection: "suppressions",
    columns: { team_id: "text", created_at: "time" },
    indexes: [{ name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" }],
  },
];
