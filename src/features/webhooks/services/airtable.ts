import { z } from "zod";
import { parseInput } from "../../../lib/input.ts";
import { DestinationConfigInput, SET } from "../../../model/destinations.ts";
import { type Call, listAt, type Reply, ServiceError, said, textAt } from "./call.ts";
import { limited, pausing, unexpected } from "./faults.ts";
import { tableAt } from "./places.ts";
import { cellsOf, normal } from "./sheet-columns.ts";
import type { Entry, Result, Service } from "./types.ts";

const SERVICE = "Airtable";
/** A long text takes no more characters. */
const MAX_TEXT = 100_000;
/** The fields of a table are asked for again after this time. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 1_000;
/** Airtable names one unknown field for each refusal. */
const MAX_UNKNOWN = 100;

const Complete = z.strictObject({ token: DestinationConfigInput.shape.token.unwrap() });

/** Airtable by a personal access token: one record for each submission, merged by its field `submission_id`. */
export const airtable: Service = {
  complete: (config) => ({ ...parseInput(Complete, config, "config") }),
  shown: () => ({ token: SET }),
  // 5 requests a second for a base.
  pace: { entries: 10, requests: 1, ms: 220 },
  rateOf: ({ url }) => `airtable ${tableAt(url).base}`,
  open({ airtable: { apiUrl } }, now) {
    const tables = new Map<string, Fields & { readonly until: number }>();
    return async (entries, { url, config, call }) => {
      const { base, table } = tableAt(url);
      const headers = { authorization: `Bearer ${String(config["token"])}` };
      let known = tables.get(url);
      if (!known || known.until <= now()) {
        if (tables.size >= MAX_KEPT) tables.clear();
        const names = await namesOf(call, `${apiUrl}/v0/meta/bases/${base}/tables`, table, headers);
        if (names && !names.has("submission_id")) throw pausing(422, "airtable_no_id");
        known = { names, unknown: new Set(), until: now() + KEPT_MS };
        tables.set(url, known);
      }
      const fields = known;
      const write = (some: readonly Entry[]) =>
        upsert((json) => call(`${apiUrl}/v0/${base}/${table}`, { method: "PATCH", headers, json }), some, fields);
      try {
        return await write(entries);
      } catch (error) {
        // One record that is refused must not take the others of its request along.
        if (entries.length === 1 || !(error instanceof ServiceError) || error.end !== "failed" || error.fault.pause)
          throw error;
        const results: Result[] = [];
        for (const entry of entries) results.push(...(await write([entry]).catch(faultOf)));
        return results;
      }
    };
  },
  preview: (entry) => JSON.stringify(bodyOf([entry], { names: null, unknown: new Set() }).json),
};

/** The names of a table's fields, if the token may read them, and those that were refused. */
interface Fields {
  readonly names: ReadonlyMap<string, string> | null;
  readonly unknown: Set<string>;
}

function faultOf(error: unknown): Result[] {
  if (!(error instanceof ServiceError)) throw error;
  return [{ end: error.end, fault: error.fault }];
}

/** Null where the token may not read schemas: then names have to be exact. */
async function namesOf(
  call: Call,
  url: string,
  table: string,
  headers: Readonly<Record<string, string>>,
): Promise<Map<string, string> | null> {
  const reply = await call(url, { headers });
  const found = listAt(reply.json, "tables").find((one) => textAt(one, "id") === table);
  if (!reply.ok || !found) return null;
  const names = listAt(found, "fields").map((one) => textAt(one, "name"));
  return new Map(names.map((name) => [normal(name), name]));
}

async function upsert(
  send: (json: unknown) => Promise<Reply>,
  entries: readonly Entry[],
  fields: Fields,
): Promise<Result[]> {
  for (let tries = 0; tries <= MAX_UNKNOWN; tries++) {
    const { json, left } = bodyOf(entries, fields);
    const reply = await send(json);
    if (reply.ok)
      return left.map((names) => ({ end: "delivered", ...(names.length > 0 && { message: leftOut(names) }) }));
    const words = textAt(reply.json, "error", "message");
    if (reply.status !== 422 || textAt(reply.json, "error", "type") !== "UNKNOWN_FIELD_NAME")
      throw airtableFault(reply);
    const unknown = Object.keys(Object.assign({}, ...json.records.map((record) => record.fields))).find((name) =>
      words.includes(`"${name}"`),
    );
    if (unknown === undefined || unknown === "submission_id") throw pausing(422, "airtable_no_id");
    fields.unknown.add(unknown);
  }
  throw unexpected(SERVICE, { status: 422 }, "", "failed");
}

const leftOut = (names: readonly string[]): string =>
  `Left out, because the table has no such field: ${names.join(", ")}`;

/** The body of an upsert, and the names that each record leaves out. */
function bodyOf(entries: readonly Entry[], { names, unknown }: Fields) {
  const left: string[][] = [];
  // By id: a submission that was made and changed before this call is there twice, and is one record.
  const records = new Map<string, { fields: Record<string, string> }>();
  for (const entry of entries) {
    const missing: string[] = [];
    const fields = new Map<string, string>();
    for (const [name, text] of cellsOf(entry, MAX_TEXT)) {
      const own = names ? names.get(normal(name)) : name;
      if (own !== undefined && !unknown.has(own)) fields.set(own, text);
      else if (name !== "created_at") missing.push(name);
    }
    left.push(missing);
    records.set(entry.id, { fields: Object.fromEntries(fields) });
  }
  const merged = names?.get("submission_id") ?? "submission_id";
  const json = {
    performUpsert: { fieldsToMergeOn: [merged] },
    typecast: true,
    records: [...records.values()],
  };
  return { json, left };
}

function airtableFault(reply: Reply): ServiceError {
  const { status } = reply;
  const error = reply.json["error"];
  const type = typeof error === "string" ? error : textAt(error, "type");
  if (status === 401) return pausing(status, "airtable_token_refused");
  if (status === 403) return pausing(status, "airtable_no_access");
  if (status === 404) return pausing(status, "airtable_no_table");
  // A month's calls are used up: asking again and again would not help.
  if (status === 429) return limited(SERVICE, reply, /BILLING/.test(type) ? 3_600 : 30);
  if (status === 422 && /submission_id/.test(textAt(error, "message"))) return pausing(status, "airtable_no_id");
  return unexpected(SERVICE, reply, said(textAt(error, "message") || type));
}
