/** The values of a submission by name; a list where a name came more than once. */
export type Values = Record<string, string | string[]>;

interface Named {
  readonly fields: readonly { readonly key: string; readonly value: string }[];
  readonly attachments: readonly { readonly key: string; readonly url: string }[];
}

/** The values by name, a list where a name came more than once; files by their links, where no field has their name. */
export function valuesOf({ fields, attachments }: Named): Values {
  const named = new Map<string, string[]>();
  for (const { key, value } of fields) add(key, value);
  const files = attachments.filter(({ key }) => !named.has(key));
  for (const { key, url } of files) add(key, url);
  // `fromEntries` defines members, so that a field named `__proto__` is one like any other.
  return Object.fromEntries(
    [...named].map(([key, [first = "", ...rest]]) => [key, rest.length > 0 ? [first, ...rest] : first]),
  );

  function add(key: string, value: string): void {
    const known = named.get(key);
    if (known) known.push(value);
    else named.set(key, [value]);
  }
}
