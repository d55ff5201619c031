import type { FrozenTable } from "./frozen.ts";

/** The tables of migration 1, which every database has. Released: never change this list. */
export const tables1: readonly FrozenTable[] = [
  {
    collection: "teams",
    columns: {
      created_at: "time",
    },
    indexes: [
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "keys",
    columns: {
      hash: "text",
      team_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
      {
        name: "team",
        keys: ["team_id", "created_at", "id"],
        sort: "created_at",
      },
      {
        name: "hash",
        keys: ["hash", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "email_servers",
    columns: {
      team_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
      {
        name: "team",
        keys: ["team_id", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "forms",
    columns: {
      team_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
      {
        name: "team",
        keys: ["team_id", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "webhook_states",
    columns: {},
    indexes: [],
  },
  {
    collection: "images",
    columns: {
      form_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "form",
        keys: ["form_id", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
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
    },
    indexes: [
      {
        name: "form_spam",
        keys: ["form_id", "spam", "created_at", "id"],
        sort: "created_at",
      },
      {
        name: "form_updated",
        keys: ["form_id", "updated_at", "id"],
        sort: "updated_at",
      },
      {
        name: "team_spam",
        keys: ["team_id", "spam", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "transient_submissions",
    columns: {
      form_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "files",
    columns: {
      submission_id: "text",
      created_at: "time",
    },
    indexes: [
      {
        name: "submission",
        keys: ["submission_id", "created_at", "id"],
        sort: "created_at",
      },
    ],
  },
  {
    collection: "jobs",
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
    indexes: [
      {
        name: "due",
        keys: ["lane", "due_at", "id", "target"],
        sort: "due_at",
      },
      {
        name: "all",
        keys: ["created_at", "id"],
        sort: "created_at",
      },
      {
        name: "form",
        keys: ["form_id", "created_at", "id"],
        sort: "created_at",
      },
      {
        name: "submission",
        keys: ["submission_id", "created_at", "id"],
        sort: "created_at",
      },
      {
        name: "target_status",
        keys: ["target", "status", "occurred_at", "id"],
        sort: "occurred_at",
      },
      {
        name: "due_target",
        keys: ["lane", "target", "due_at", "id"],
        sort: "due_at",
      },
    ],
  },
  {
    collection: "counters",
    columns: {},
    indexes: [],
  },
  {
    collection: "marks",
    columns: {
      expires_at: "time",
    },
    indexes: [
      {
        name: "expiry",
        keys: ["expires_at", "id"],
        sort: "expires_at",
      },
    ],
  },
];
