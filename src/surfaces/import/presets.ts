/** Columns that are no fields of the form. */
export type CsvColumn = "created_at" | "source_id" | "spam" | "read" | "ip" | "country" | "user_agent" | "referer";

/** Exports whose columns are known. */
export type CsvPreset =
  | "form-backend"
  | "formspree"
  | "netlify"
  | "formcarry"
  | "basin"
  | "web3forms"
  | "getform"
  | "forminit"
  | "formspark";

/** Names that a column may have, the surest first, written as `folded` does. */
export type ColumnNames = Partial<Record<CsvColumn, readonly string[]>>;

/** A column's name without what exports write differently: `Submitted At`, `submitted_at`, `submittedAt`. */
export const folded = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

const times = [
  "createdat",
  "submittedat",
  "submissiondate",
  "datesubmitted",
  "submitted",
  "timestamp",
  "date",
  "datetime",
  "time",
  "received",
  "receivedat",
];
const ids = ["submissionid", "id"];
const visitor = {
  ip: ["ip", "ipaddress", "remoteip", "senderip"],
  user_agent: ["useragent"],
  referer: ["referer", "referrer", "pageurl"],
} as const;

/** Services differ in which of these columns they write. What is no such column is a field of the form. */
export const csvPresets: Readonly<Record<Exclude<CsvPreset, "form-backend">, ColumnNames>> = {
  // `id,date`, and then the fields in the order of their names.
  formspree: { created_at: ["date", "createdat", "submittedat"], source_id: ["id"] },
  netlify: { created_at: ["createdat", "date"], source_id: ["id", "number"], ...visitor },
  formcarry: { created_at: ["createdat", "date", "submittedat"], source_id: ["id", "submissionid"] },
  basin: { created_at: times, source_id: ids, spam: ["spam", "isspam"], read: ["read", "isread"], ...visitor },
  web3forms: { created_at: times, source_id: ids, ...visitor },
  getform: { created_at: ["submissiondate", ...times], source_id: ["hashid", ...ids], ...visitor },
  forminit: { created_at: ["submissiondate", ...times], source_id: ["hashid", ...ids], ...visitor },
  formspark: { created_at: times, source_id: ids },
};
