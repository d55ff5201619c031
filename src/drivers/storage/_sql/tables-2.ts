import type { FrozenTable } from "./frozen.ts";

/** The tables that migration 2 adds. Released: never change this list. */
export const tables2: readonly FrozenTable[] = [
  {
    collection: "pending_submissions",
    columns: {
      form_id: "text",
      team_id: "text",
      created_at: "time",
      spam: "boolean",
      read: "boolean",
      country: "text",
      expires_at: "time",
    },
    indexes: [
      { name: "form", keys: ["form_id", "created_at", "id"], sort: "created_at" },
      { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" },
      { name: "expiry", keys: ["expires_at", "id"], sort: "expires_at" },
    ],
  },
  {
    collection: "drafts",
    columns: { form_id: "text", team_id: "text", expires_at: "time" },
    indexes: [
      { name: "form", keys: ["form_id", "expires_at", "id"], sort: "expires_at" },
      { name: "team", keys: ["team_id", "expires_at", "id"], sort: "expires_at" },
      { name: "expiry", keys: ["expires_at", "id"], sort: "expires_at" },
    ],
  },
];
