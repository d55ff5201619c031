import { createHash, randomUUID } from "node:crypto";
import { type Got, type Said, serviceOn } from "./server.ts";

/** Counts requests in a window of time, as services do. */
function quota(most: number, windowMs: number) {
  let times: number[] = [];
  return (at: number): boolean => {
    times = times.filter((other) => other > at - windowMs);
    if (times.length >= most) return false;
    times.push(at);
    return true;
  };
}

export const BASE = "appAbCdEfGh123456";
export const TABLE = "tblAbCdEfGh123456";
export const tableUrl = `https://airtable.com/${BASE}/${TABLE}/viwAbCdEfGh123456?blocks=hide`;

/** A table of Airtable: upserts of 10 records, 5 requests a second. `schema: false` is a token that may not read schemas. */
export async function airtable(
  now: () => number,
  { fields = ["submission_id", "created_at", "Name", "n"], schema = true } = {},
) {
  const records = new Map<string, Record<string, string>>();
  const mayGo = quota(5, 1_000);
  const error = (status: number, type: string, message: string): Said => ({
    status,
    json: { error: { type, message } },
  });
  const server = await serviceOn({
    now,
    answer({ method, path, headers, json, at }): Said {
      if (headers.authorization !== "Bearer pat.secret")
        return error(401, "AUTHENTICATION_REQUIRED", "Authentication required");
      if (!mayGo(at))
        return { status: 429, json: { errors: [{ error: "RATE_LIMIT_REACHED", message: "Rate limit exceeded." }] } };
      if (path === `/v0/meta/bases/${BASE}/tables`)
        return schema
          ? { status: 200, json: { tables: [{ id: TABLE, name: "Orders", fields: fields.map((name) => ({ name })) }] } }
          : error(403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND", "Invalid permissions");
      if (path !== `/v0/${BASE}/${TABLE}`) return error(404, "NOT_FOUND", "Not found");
      if (method !== "PATCH" || json.records.length > 10) return error(422, "INVALID_REQUEST_BODY", "too many records");
      for (const { fields: sent } of json.records)
        for (const name of Object.keys(sent))
          if (!fields.includes(name)) return error(422, "UNKNOWN_FIELD_NAME", `Unknown field name: "${name}"`);
      const [merge] = json.performUpsert.fieldsToMergeOn;
      for (const { fields: sent } of json.records) records.set(sent[merge], { ...records.get(sent[merge]), ...sent });
      return { status: 200, json: { records: [] } };
    },
  });
  return { ...server, fate: server.state, records, options: { airtable: { apiUrl: server.url } } };
}

export const DATABASE = "0123456789abcdef0123456789abcdef";
export const databaseUrl = `https://www.notion.so/acme/${DATABASE}?v=fedcba9876543210fedcba9876543210`;

/** A database of Notion: a page a request, 3 requests a second. */
export async function notion(
  now: () => number,
  properties: Record<string, string> = { Name: "title", submission_id: "rich_text", created_at: "date", n: "number" },
) {
  // biome-ignore lint/suspicious/noExplicitAny: pages of every shape
  const pages: { id: string; properties: any }[] = [];
  const mayGo = quota(9, 3_000);
  const error = (status: number, code: string, message: string): Said => ({
    status,
    json: { object: "error", status, code, message },
    ...(status === 429 && { headers: { "retry-after": "2" } }),
  });
  const server = await serviceOn({
    now,
    answer({ method, path, headers, json, at }): Said {
      if (headers.authorization !== "Bearer ntn_secret") return error(401, "unauthorized", "API token is invalid.");
      if (headers["notion-version"] !== "2025-09-03") return error(400, "missing_version", "Notion-Version");
      if (!mayGo(at)) return error(429, "rate_limited", "You have been rate limited.");
      if (path === `/v1/databases/${DATABASE}`)
        return { status: 200, json: { data_sources: [{ id: "ds1", name: "Orders" }] } };
      if (path === "/v1/data_sources/ds1") {
        const shown = Object.entries(properties).map(([name, type]) => [name, { id: name, name, type }]);
        return { status: 200, json: { object: "data_source", properties: Object.fromEntries(shown) } };
      }
      if (path === "/v1/data_sources/ds1/query") {
        const { property, rich_text } = json.filter;
        const results = pages.filter(
          ({ properties: own }) => own[property].rich_text[0].text.content === rich_text.equals,
        );
        return { status: 200, json: { object: "list", results } };
      }
      if (method !== "POST" || path !== "/v1/pages" || json.parent.data_source_id !== "ds1")
        return error(404, "object_not_found", "Could not find database.");
      for (const [name, value] of Object.entries(json.properties as Record<string, object>)) {
        const type = properties[name];
        if (!type) return error(400, "validation_error", `${name} is not a property that exists.`);
        if (!Object.hasOwn(value, type)) return error(400, "validation_error", `${name} is expected to be ${type}.`);
        const texts = (value as Record<string, { text?: { content: string } }[]>)[type];
        if (Array.isArray(texts) && texts.some(({ text }) => (text?.content.length ?? 0) > 2_000))
          return error(400, "validation_error", "content.length should be ≤ 2000");
      }
      pages.push({ id: randomUUID(), properties: json.properties });
      return { status: 200, json: { object: "page" } };
    },
  });
  return { ...server, fate: server.state, pages, options: { notion: { apiUrl: server.url } } };
}

/** An audience of Mailchimp: 10 requests at a time. */
export async function mailchimp(now: () => number) {
  const members = new Map<string, Record<string, unknown>>();
  const left = new Set<string>();
  const problem = (status: number, title: string, detail: string): Said => ({
    status,
    json: { type: "about:blank", title, status, detail },
  });
  const server = await serviceOn({
    now,
    answer({ method, path, headers, json }: Got): Said {
      const [, password] = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64")
        .toString()
        .split(":");
      if (password !== "0123456789abcdef-us21") return problem(401, "API Key Invalid", "Your API key may be invalid.");
      const [, hash = "", tags] = /^\/3\.0\/lists\/a1b2c3\/members\/([0-9a-f]{32})(\/tags)?$/.exec(path) ?? [];
      if (hash === "") return problem(404, "Resource Not Found", "The requested resource could not be found.");
      const known = members.get(hash);
      if (tags && method === "POST") {
        members.set(hash, { ...known, tags: json.tags });
        return { status: 204 };
      }
      if (method !== "PUT" || "status" in json) return problem(400, "Invalid Resource", "status");
      if (createHash("md5").update(json.email_address.toLowerCase()).digest("hex") !== hash)
        return problem(400, "Invalid Resource", "hash");
      if (left.has(json.email_address))
        return problem(400, "Member In Compliance State", `${json.email_address} is in a compliance state.`);
      members.set(hash, { status: json.status_if_new, ...known, ...json });
      return { status: 200, json: {} };
    },
  });
  return { ...server, fate: server.state, members, left, options: { mailchimp: { apiUrl: server.url } } };
}

/** HubSpot's contacts: upserts of 100, 100 requests in 10 seconds. */
export async function hubspot(now: () => number, properties = ["email", "firstname", "company"]) {
  const contacts = new Map<string, Record<string, string>>();
  const mayGo = quota(100, 10_000);
  const error = (status: number, category: string, message: string): Said => ({
    status,
    json: { status: "error", category, message },
  });
  const server = await serviceOn({
    now,
    answer({ path, headers, json, at }): Said {
      if (headers.authorization !== "Bearer pat-eu1-secret")
        return error(401, "INVALID_AUTHENTICATION", "Authentication credentials not found.");
      if (path !== "/crm/v3/objects/contacts/batch/upsert") return error(404, "NOT_FOUND", "no such path");
      if (!mayGo(at))
        return { status: 429, json: { status: "error", errorType: "RATE_LIMIT", policyName: "TEN_SECONDLY_ROLLING" } };
      const inputs = json.inputs as { id: string; idProperty: string; properties: Record<string, string> }[];
      if (inputs.length > 100) return error(400, "VALIDATION_ERROR", "too many inputs");
      if (new Set(inputs.map(({ id }) => id)).size < inputs.length)
        return error(400, "VALIDATION_ERROR", "Duplicate IDs found in batch input");
      for (const input of inputs) {
        const unknown = Object.keys(input.properties).find((name) => !properties.includes(name));
        const list = [
          {
            isValid: false,
            message: `Property "${unknown}" does not exist`,
            error: "PROPERTY_DOESNT_EXIST",
            name: unknown,
          },
        ];
        if (unknown) return error(400, "VALIDATION_ERROR", `Property values were not valid: ${JSON.stringify(list)}`);
        if (input.properties["email"]?.endsWith("@invalid.example"))
          return error(
            400,
            "VALIDATION_ERROR",
            'Property values were not valid: [{"error":"INVALID_EMAIL","name":"email"}]',
          );
      }
      for (const { id, properties: own } of inputs) contacts.set(id, { ...contacts.get(id), ...own });
      return { status: 200, json: { status: "COMPLETE", results: [] } };
    },
  });
  return { ...server, fate: server.state, contacts, options: { hubspot: { apiUrl: server.url } } };
}
