import type { Late } from "../../../lib/late.ts";
import type { InProcessApi } from "../in-process.ts";

/** Every call of the host that returns a promise, by its group. */
const groups = {
  teams: { create: true, get: true, update: true, list: true, verifyDomain: true },
  keys: { create: true, get: true, list: true, revoke: true },
  emailServers: { create: true, get: true, list: true, update: true, delete: true },
  jobs: { list: true, page: true, get: true, retry: true, recover: true },
  secrets: { reseal: true },
  forms: {
    create: true,
    ensure: true,
    get: true,
    list: true,
    overview: true,
    update: true,
    delete: true,
    shred: true,
    addRecipient: true,
    removeRecipient: true,
    uploadImage: true,
    deleteImage: true,
    sendTestEmail: true,
    fields: true,
    statistics: true,
  },
  submissions: {
    list: true,
    get: true,
    count: true,
    backtestSpam: true,
    update: true,
    delete: true,
    bulk: true,
    bulkMatching: true,
    export: true,
    import: true,
    deleteImported: true,
  },
  webhooks: {
    create: true,
    list: true,
    get: true,
    update: true,
    delete: true,
    rotateSecret: true,
    test: true,
    backfill: true,
  },
  deliveries: { list: true, get: true, redeliver: true, recover: true },
  emails: { list: true, resend: true },
  dataSubjects: { export: true, erase: true },
} satisfies { [G in Group]: Record<Exclude<keyof InProcessApi[G], "useSchema">, true> };

type Single = "submit" | "renderToken" | "health";
type Group = Exclude<keyof InProcessApi, Single>;
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
  const made = Object.entries(groups).map(([group, names]) => [
    group,
    Object.fromEntries(
      Object.keys(names).map((name) => [name, call((loaded) => Reflect.get(loaded[group as Group], name))]),
    ),
  ]);
  return {
    ...Object.fromEntries(made),
    submit: call(({ submit }) => submit),
    renderToken: call(({ renderToken }) => renderToken),
    health: call(({ health }) => health),
  };
}
