/** A value of a service's JSON, of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** The object in a body; null for anything else. */
export function objectIn(body: Uint8Array | string): Json | null {
  try {
    const value: unknown = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
    return asObject(value);
  } catch {
    return null;
  }
}

export const asObject = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** An object's member that is an object; an empty one otherwise. */
export const inner = (value: Json | null, name: string): Json => asObject(value?.[name]) ?? {};

/** An object's member that is a text; "" otherwise. */
export const textOf = (value: Json | null, name: string): string => {
  const found = value?.[name];
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
};

/** An object's member that is a list, at most 1,000 entries; empty otherwise. */
export const listOf = (value: Json | null, name: string): readonly unknown[] => {
  const found = value?.[name];
  return Array.isArray(found) ? found.slice(0, 1_000) : [];
};

/** The address in `Ann <ann@example.com>`. */
export const addressIn = (text: string): string => (/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim();
