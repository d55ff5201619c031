/** Data to send: a form's data, or an object whose nested members become `a.b` and whose lists repeat their name. */
export type FormInput = FormData | URLSearchParams | object;

/** Makes a copy to send, or adds to one. Not JSON, which can't contain files and needs a preflight on every cross-origin page. */
export function toFormData(data: FormInput, body: FormData = new FormData()): FormData {
  if (data instanceof FormData || data instanceof URLSearchParams) {
    for (const [name, value] of data as FormData) body.append(name, value);
  } else for (const [name, value] of Object.entries(data)) add(body, name, value);
  return body;
}

/** Dates and similar objects convert themselves to text. */
interface Convertible {
  toJSON?(): unknown;
}

function add(body: FormData, name: string, value: unknown): void {
  const convert = (value as Convertible | null | undefined)?.toJSON;
  if (value instanceof Blob) body.append(name, value);
  else if (convert) add(body, name, convert.call(value));
  else if (typeof value !== "object") value !== undefined && body.append(name, String(value));
  else if (value === null) body.append(name, "");
  else if (Symbol.iterator in value) for (const entry of value as Iterable<unknown>) add(body, name, entry);
  else for (const [key, entry] of Object.entries(value)) add(body, `${name}.${key}`, entry);
}

// Proofs and control fields; a repeat may bring others. The endpoint ignores them too.
const VOLATILE =
  /^(_(gotcha|next|token|draft|source|idempotency_key)|altcha|.*(captcha|turnstile)-(response|solution))$/;

/** Equal for data that the endpoint treats as the same post. */
export const fingerprint = (data: FormData): string =>
  JSON.stringify(
    [...data]
      .filter(([name]) => !VOLATILE.test(name))
      // An input without a file gives an empty one that is always new.
      .map(([name, value]) => [
        name,
        typeof value === "string" ? value : value.size && [value.name, value.size, value.lastModified],
      ]),
  );

/** The sent values, by field name; a list if a name came more than once. Files are left out. */
export type FormValues = Record<string, string | string[]>;

/** The text of a form's data, as values for its controls. */
export function valuesOf(data: FormData): FormValues {
  const values: FormValues = {};
  for (const [name, value] of data) {
    if (typeof value === "string")
      values[name] = Object.hasOwn(values, name) ? [values[name] ?? [], value].flat() : value;
  }
  return values;
}
