// In the place of `src/lib/late.ts`: each simulated process loads for itself, or the second seed of a run would find loaded what the
// first one had to wait for.
import { late as shared } from "../../../src/lib/late.ts";
import { ownState } from "../globals.ts";

type Late<T> = ReturnType<typeof shared<T>>;

export function late<T>(load: () => Promise<T>, loaded?: T): Late<T> {
  const make = (): Late<T> => shared(load, loaded);
  return { now: () => ownState(make).now(), load: () => ownState(make).load() };
}
