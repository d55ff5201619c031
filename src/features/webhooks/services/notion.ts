import { z } from "zod";
import { parseInput } from "../../../lib/input.ts";
import { DestinationConfigInput, SET } from "../../../model/destinations.ts";
import { at, type Call, listAt, type Reply, ServiceError, said, textAt } from "./call.ts";
import { limited, pausing, unexpected } from "./faults.ts";
import { contentOf, type Property } from "./notion-properties.ts";
import { databaseAt } from "./places.ts";
import { normal } from "./sheet-columns.ts";
import type { Entry, Result, Service } from "./types.ts";

const SERVICE = "Notion";
const VERSION = "2025-09-03";
/** The properties of a database are asked for again after this time. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 1_000;

const Complete = z.strictObject({ token: DestinationConfigInput.shape.token.unwrap() });

/** The rows of a database, which are pages of a data source in it. */
interface Source {
  readonly id: string;
  readonly properties: readonly Property[];
  readonly until: number;
}

/** Notion by the token of an integration: one page in a database for each submission. */
export const notion: Service = {
  complete: (config) => ({ ...parseInput(Complete, config, "config") }),
  shown: () => ({ token: SET }),
  // 3 requests a second for an integration.
  pace: { entries: 3, requests: 3, ms: 350 },
  rateOf: ({ config }) => `notion ${String(config["token"])}`,
  open({ notion: { apiUrl } }, now) {
    const sources = new Map<string, Source>();
    return async (entries, { url, config, call }) => {
      const headers = { authorization: `Bearer ${String(config["token"])}`, "notion-version": VERSION };
      const api: Call = async (path, request) => {
        const reply = await call(apiUrl + path, { ...request, headers });
        if (!reply.ok) throw notionFault(reply);
        return reply;
      };
      let source = sources.get(url);
      if (!source || source.until <= now()) {
        source = await sourceOf(api, databaseAt(url), now() + KEPT_MS);
        if (sources.size >= MAX_KEPT) sources.clear();
        sources.set(url, source);
      }
      const results: Result[] = [];
      for (const entry of entries) results.push(await write(api, source, entry).catch((error) => resultOf(error)));
      // A property may have been renamed or removed since it was read.
      if (results.some((result) => result.end === "failed")) sources.delete(url);
      return results;
    };
  },
  preview: (entry) => JSON.stringify({ submission_id: entry.id, created_at: entry.created_at, ...entry.values }),
};

/** A fault of one page; one that is of all of them ends the call. */
function resultOf(error: unknown): Result {
  if (!(error instanceof ServiceError) || error.fault.pause || error.fault.waitSeconds !== undefined) throw error;
  return { end: error.end, fault: error.fault };
}

async function sourceOf(api: Call, database: string, until: number): Promise<Source> {
  const { json } = await api(`/v1/databases/${database}`);
  const id = textAt(listAt(json, "data_sources")[0], "id");
  const answer = await api(`/v1/data_sources/${id}`);
  const properties = Object.entries((at(answer.json, "properties") ?? {}) as Record<string, unknown>).map(
    ([name, value]) => ({ name, type: textAt(value, "type") }),
  );
  const holder = properties.find(({ name }) => normal(name) === "submission_id");
  if (holder?.type !== "rich_text") throw pausing(400, "notion_no_id");
  return { id, properties, until };
}

async function write(api: Call, { id, properties }: Source, entry: Entry): Promise<Result> {
  const { content, left } = contentOf(entry, properties);
  const delivered: Result = { end: "delivered", ...(left.length > 0 && { message: leftOut(left) }) };
  if (entry.again || entry.update) {
    const property = properties.find(({ name }) => normal(name) === "submission_id")?.name;
    const filter = { property, rich_text: { equals: entry.id } };
    const { json } = await api(`/v1/data_sources/${id}/query`, { json: { filter, page_size: 1 } });
    const page = textAt(listAt(json, "results")[0], "id");
    if (page !== "" && entry.update) await api(`/v1/pages/${page}`, { method: "PATCH", json: { properties: content } });
    if (page !== "") return delivered;
  }
  const parent = { type: "data_source_id", data_source_id: id };
  await api("/v1/pages", { json: { parent, properties: content } });
  return delivered;
}

const leftOut = (names: readonly string[]): string =>
  `Left out, because the database has no property that takes it: ${names.join(", ")}`;

function notionFault(reply: Reply): ServiceError {
  const { status } = reply;
  const words = textAt(reply.json, "message");
  if (status === 401) return pausing(status, "notion_token_refused");
  if (status === 403 || status === 404) return pausing(status, "notion_not_shared");
  if (status === 400 && /is a page, not a database/i.test(words)) return pausing(status, "notion_a_page");
  if (status === 429) return limited(SERVICE, reply, 5);
  return unexpected(SERVICE, reply, said(words));
}
