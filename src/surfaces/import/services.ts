import { createFetch } from "ofetch";
import type { ImportRow } from "../../model/import.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { formspreeRow, textOf } from "./json.ts";

/** A form at another service. */
export interface ServiceForm {
  /** The form's id there. */
  form: string;
  /** An API key or access token of that service that may read submissions. */
  key: string;
  /** The service's address, if it is not the usual one. */
  endpoint?: string | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

type Item = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 60_000;
const RETRIES = 5;
const MAX_WAIT_S = 300;
/** Limit of pages, because a service that ignores the page number sends the first page again and again. */
const MAX_PAGES = 200_000;

/** Reads pages from 0 until one is empty, or as the one before. `page` says the address of a page, and what it holds. */
async function* pagesOf(
  { fetch: given = globalThis.fetch }: ServiceForm,
  headers: Record<string, string>,
  address: (page: number) => URL,
  itemsIn: (body: unknown) => unknown,
): AsyncGenerator<Item, void> {
  const ask = createFetch({ fetch: given, Headers, AbortController });
  let before = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = address(page);
    const body = await ask<unknown>(url.href, {
      headers: { accept: "application/json", ...headers },
      // A key must not follow to another host.
      redirect: "error",
      retry: RETRIES,
      retryDelay: ({ response }) => 1_000 * Math.min(Number(response?.headers.get("retry-after")) || 2, MAX_WAIT_S),
      timeout: TIMEOUT_MS,
      responseType: "json",
    });
    const items = itemsIn(body);
    if (!Array.isArray(items)) throw new Error(`[form-backend] ${url.host} returned no list of submissions.`);
    const now = JSON.stringify(items);
    if (items.length === 0 || now === before) return;
    before = now;
    yield* items as Item[];
  }
}

function at(endpoint: string, path: string, query: Record<string, string | number>): URL {
  const url = new URL(`${endpoint.replace(/\/+$/, "")}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

/** The member of a JSON object, or undefined. */
const member = (body: unknown, name: string): unknown => (Object(body) as Record<string, unknown>)[name];

/**
 * Reads a form's submissions from Formspree's API, oldest first, and then its spam. `key` is the form's read-only or master key.
 *
 * @throws `FetchError` of ofetch when Formspree refuses, or can't be reached after 5 more tries
 */
export async function* formspreeApi(service: ServiceForm): AsyncGenerator<ImportRow, void> {
  const { form, key, endpoint = "https://formspree.io" } = service;
  const headers = { authorization: `Basic ${Buffer.from(`:${key}`).toString("base64")}` };
  for (const spam of [false, true]) {
    const address = (page: number): URL =>
      at(endpoint, `/api/0/forms/${encodeURIComponent(form)}/submissions`, {
        limit: 100,
        offset: page * 100,
        order: "asc",
        ...(spam && { spam: "true" }),
      });
    for await (const item of pagesOf(service, headers, address, (body) => member(body, "submissions"))) {
      yield formspreeRow(item, spam);
    }
  }
}

/**
 * Reads a form's submissions from Netlify's API, and then its spam. `key` is a personal access token.
 *
 * @throws `FetchError` of ofetch when Netlify refuses, or can't be reached after 5 more tries
 */
export async function* netlifyApi(service: ServiceForm): AsyncGenerator<ImportRow, void> {
  const { form, key, endpoint = "https://api.netlify.com" } = service;
  const headers = { authorization: `Bearer ${key}` };
  for (const spam of [false, true]) {
    const address = (page: number): URL =>
      at(endpoint, `/api/v1/forms/${encodeURIComponent(form)}/submissions`, {
        page: page + 1,
        per_page: 100,
        ...(spam && { state: "spam" }),
      });
    for await (const item of pagesOf(service, headers, address, (body) => body)) yield netlifyRow(item, spam);
  }
}

function netlifyRow(item: Item, spam: boolean): ImportRow {
  const { ip, user_agent, referrer, ...fields } = Object(item["data"]) as Record<string, unknown>;
  const told = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return {
    created_at: String(item["created_at"] ?? ""),
    fields,
    source_id: textOf(item["id"]),
    spam,
    ip: told(ip),
    user_agent: told(user_agent),
    referer: told(referrer),
  };
}

/**
 * Reads a form's submissions from Formcarry's API, or from the legacy API of this library, oldest first, with spam. `key` is the
 * team's API key.
 *
 * @throws `FetchError` of ofetch when the service refuses, or can't be reached after 5 more tries
 */
export async function* formcarryApi(service: ServiceForm): AsyncGenerator<ImportRow, void> {
  const { form, key, endpoint = "https://formcarry.com" } = service;
  for (const spam of [false, true]) {
    const address = (page: number): URL =>
      at(endpoint, `/api/form/${encodeURIComponent(form)}/submissions`, {
        limit: 50,
        page: page + 1,
        sort: "createdAt:1",
        filter: `spam:${spam}`,
      });
    for await (const item of pagesOf(service, { api_key: key }, address, (body) => member(body, "submissions"))) {
      yield {
        created_at: String(item["createdAt"] ?? ""),
        fields: item["fields"] as SubmissionField[],
        source_id: textOf(item["_id"]),
        spam,
      };
    }
  }
}
