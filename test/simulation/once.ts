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
  const found = known.get(name) ?? withDrivers(parse(), {});
  known.set(name, found);
  return withDrivers(found, input) as T;
}

/** Drivers of an earlier process would keep that process, and the world of its seed. */
function withDrivers(parsed: Parsed, input: object): Parsed {
  if (!parsed.success) return parsed;
  const own = drivers.map((driver) => [driver, Reflect.get(input, driver)]);
  return { success: true, data: { ...parsed.data, ...Object.fromEntries(own) } };
}
