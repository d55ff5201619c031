/** The options of a provider. Throws a TypeError that names one that is missing. */
export function required<T extends object>(
  factory: string,
  options: T | undefined,
  names: readonly (keyof T & string)[],
): T {
  for (const name of names) {
    const value: unknown = options?.[name];
    if (typeof value !== "string" || value === "")
      throw new TypeError(
        `[form-backend] ${factory}: option \`${name}\` is missing; docs/guide/answering says where to find it`,
      );
  }
  return options as T;
}
