import type { FrozenTable } from "./frozen.ts";

/** The tables that migration 21 adds. Released: never change this list. */
export const tables21: readonly FrozenTable[] = [
  {
    collection: "abuse_reports",
    columns: { form_id: "text", team_id: "text", created_at: "time" },
    indexes: [
      { name: "all", keys: ["created_at", "id"], sort: "created_at" },
      { name: "form", keys: ["form_id", "created_at", "id"], sort: "created_at" },
      { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" },
    ],
  },
  {
    collection: "deleted_forms",
    columns: { team_id: "text", created_at: "time" },
    indexes: [
      { name: "all", keys: ["created_at", "id"], sort: "created_at" },
      { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" },
    ],
  },
];
