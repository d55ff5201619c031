import type { Late } from "../../../lib/late.ts";
import type { InProcessApi } from "../in-process.ts";
import { names } from "./names.ts";

type Call = (...args: unknown[]) => Promise<unknown>;

/** The API in process before its parts are loaded: each call waits for them. */
export function lateApi(api: Late<InProcessApi>): Omit<InProcessApi, "forms"> & {
  readonly forms: Omit<InProcessApi["forms"], "useSchema">;
} {
  const call =
    (find: (loaded: InProcessApi) => unknown): Call =>
    (...args) => {
      const loaded = api.now();
      return loaded ? (find(loaded) as Call)(...args) : api.load().then((made) => (find(made) as Call)(...args));
    };
  const made: Record<string, Call | Record<string, Call>> = {};
  for (const path of names) {
    const [group, name] = path.split(".") as [keyof InProcessApi, string?];
    if (name)
      made[group] = Object.assign(made[group] ?? {}, { [name]: call((loaded) => Reflect.get(loaded[group], name)) });
    else made[group] = call((loaded) => loaded[group]);
  }
  return made as never;
}
