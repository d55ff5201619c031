import { FastResponse } from "srvx";

/**
 * A response with a text body. On Node it goes out in one write with its length, where a plain `Response` costs a web stream;
 * elsewhere it is a plain `Response`.
 */
export function textResponse(text: string, status: number, headers: Readonly<Record<string, string>>): Response {
  return new FastResponse(text, { status, headers });
}

/** Headers of every answer that is data. */
export const dataHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** A JSON answer that nobody caches or sniffs. */
export function jsonResponse(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return textResponse(JSON.stringify(body), status, { ...dataHeaders, ...headers });
}
