import type { FrozenTable } from "./frozen.ts";

/** The table that migration 3 adds. Released: never change this list. */
export const tables3: readonly FrozenTable[] = [
  {
    collection: "audit",
    columns: {
      team_id: "text",
      form_id: "text",
      user_id: "text",
      action: "text",
      created_at: "time",
      expires_at: "time",
    },
    indexes: [
      { name: "team", keys: ["team_id", "created_at", "id"], sort: "created_at" },
      { name: "expiry", keys: ["expires_at", "id"], sort: "expires_at" },
    ],
  },
];
