export type { DateFormat } from "../../lib/read-date.ts";
export type { ImportRow, UnreadableRow } from "../../model/import.ts";
export { type CsvOptions, csvRows } from "./csv.ts";
export type { ImportFile } from "./file.ts";
export { formspreeJsonRows, type JsonOptions, jsonRows } from "./json.ts";
export type { CsvColumn, CsvPreset } from "./presets.ts";
export { formcarryApi, formspreeApi, netlifyApi, type ServiceForm } from "./services.ts";
