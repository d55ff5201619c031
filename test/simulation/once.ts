interface Parsed {
  readonly success: boolean;
  readonly data?: object;
}

const known = new Map<string, Parsed>();
/** Options that differ with each process. */
const drivers = ["storage", "mailer", "blob", "queue", "logger"];

/** The parsed options: the drivers are the caller's own, and the rest is parsed once, which costs more than all else at a start. */
export function parsedOnce<T extends Parsed>(input: object, parse: () => T): T {
  const name = JSON.stringify(input, (key, value) => (drivers.includes(key) ? undefined : value));
  const found = known.get(name) ?? parse();
  known.set(name, found);
  if (!found.success) return found as T;
  const own = drivers.map((driver) => [driver, Reflect.get(input, driver)]);
  return { success: true, data: { ...found.data, ...Object.fromEntries(own) } } as unknown as T;
}
