import type { Core } from "../../core/core.ts";
import { assertAddressLeft } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import type { DialectName } from "../../model/dialects.ts";
import { ALIAS, KEY } from "../../model/form-settings.ts";
import { TeamId } from "../../model/teams.ts";
import { dialects } from "../dialects/_all.ts";
import type { Dialect, DialectAddress } from "../dialects/_dialect.ts";
import { formIdByAlias, formIdByKey } from "../forms/names.ts";
import { DEFAULT_TEAM } from "../teams/service.ts";
import { receive } from "./routes-post.ts";

type Params = Readonly<Record<string, string>>;

const BY_ID = "/f/:form_id";
const BY_KEY = "/p/:team_id/f/:key";
const OF_FORMCARRY = "/s/:alias";
/** The form of the ids that we give. */
const GENERATED_ID = /^[0-9A-Za-z]{11}$/;
/** No form has this id. */
const NOBODY = "-";

/** The rows, and each again at the other addresses that forms have beside `/f/{id}`; posts also at those of other services. */
export function atEveryAddress(rows: readonly RawRoute[], chosen: ReadonlySet<DialectName>): RawRoute[] {
  const ofForms = rows.filter(({ path }) => path.startsWith(BY_ID));
  const others = [BY_KEY, ...(chosen.has("formcarry") ? [OF_FORMCARRY] : [])];
  return [
    ...rows.map((row) => (chosen.has("formspree") && ofForms.includes(row) ? at(BY_ID, row) : row)),
    ...others.flatMap((address) => ofForms.map((row) => at(address, row))),
    ...postsOf([...chosen].filter((name) => name !== "formcarry").map((name) => dialects[name])),
  ];
}

/** Prefixes below `baseUrl` of other services' addresses. */
export const prefixesOf = (chosen: ReadonlySet<DialectName>): string[] =>
  [...chosen].flatMap((name) => dialects[name].addresses.map(({ path }) => `/${path.split("/")[1]}`));

/** A row for each address at which the dialects take posts; some share one. */
function postsOf(chosen: readonly Dialect[]): RawRoute[] {
  const paths = new Map<string, { dialect: Dialect; address: DialectAddress }[]>();
  for (const dialect of chosen) {
    for (const address of dialect.addresses)
      paths.set(address.path, [...(paths.get(address.path) ?? []), { dialect, address }]);
  }
  return Array.from(paths, ([path, ways]) => ({
    method: "POST",
    path,
    unopened: true,
    async handler(asked, names) {
      const { by, json = false } = (ways[0] as (typeof ways)[0]).address;
      const name = names["alias"];
      const { exchange, id } = name === undefined ? { exchange: asked, id: null } : await idOf(asked, name, by);
      return receive(exchange, {
        id,
        endpoint: askedAt(asked, path),
        among: ways.map(({ dialect }) => dialect),
        json,
        find: (text) => idByName(exchange.core, text, by),
      });
    },
  }));
}

/** The id behind a name in a path; after a look-up that failed, the drivers of the exchange do not open. */
async function idOf(
  exchange: Exchange,
  name: string,
  by: DialectAddress["by"],
): Promise<{ readonly exchange: Exchange; readonly id: string }> {
  const found = await byId(exchange, { name, by: by.join() });
  return { exchange: found.exchange, id: found.params["form_id"] ?? NOBODY };
}

function at(address: string, row: RawRoute): RawRoute {
  const path = row.path.replace(BY_ID, address);
  return {
    ...row,
    path,
    async handler(asked, names) {
      const { exchange, params } = await byId(asked, names);
      // Rows that open the drivers themselves have a shape of their own for what fails there.
      if (!row.unopened) await opened(exchange);
      return row.handler(exchange, { ...params, asked: askedAt(asked, path) });
    },
  };
}

/** The address of a request as the browser spells it, which sends it again as `Referer`; below any path that the host mounts at. */
function askedAt({ core, url }: Exchange, path: string): string {
  const depth = path.split("/").length - 1;
  return `${core.options.baseUrl}/${url.pathname.split("/").filter(Boolean).slice(-depth).join("/")}`;
}

/**
 * A request with `form_id` instead of a form's name. After a look-up that failed, its drivers do not open: a form that can't
 * be looked up must not seem to be unknown.
 */
export async function byId(
  exchange: Exchange,
  params: Params,
): Promise<{ readonly exchange: Exchange; readonly params: Params }> {
  const mayBeNamed = "form_id" in params && exchange.core.options.dialects.has("formspree");
  if (!(mayBeNamed || "key" in params || "alias" in params || "name" in params)) return { exchange, params };
  try {
    await opened(exchange);
    // It is counted when the form is known, or known to be none; until then its name must not be looked up for nothing.
    await assertAddressLeft(exchange);
    return { exchange, params: { ...params, ...(await find(exchange.core, params)) } };
  } catch (error) {
    return {
      exchange: { ...exchange, ready: () => Promise.reject(error) },
      params: { ...params, form_id: NOBODY },
    };
  }
}

/** The id behind a name. What can't be a name is not looked up. */
async function find(core: Core, { team_id, key, alias, form_id, name, by }: Params): Promise<Params> {
  if (key !== undefined) {
    const known = KEY.test(key) && TeamId.safeParse(team_id).success;
    return { form_id: (known ? await formIdByKey(core, team_id as string, key) : null) ?? NOBODY };
  }
  if (form_id !== undefined) {
    // Formspree's addresses are ours with names instead of ids.
    const id = await idByName(core, form_id, ["id", "alias", "key"]);
    const isOurs = id === null ? GENERATED_ID.test(form_id) : id === form_id;
    return { form_id: id ?? NOBODY, ...(!isOurs && { dialect: "formspree" }) };
  }
  const id = await idByName(core, name ?? alias ?? "", name === undefined ? ["id", "alias"] : namings(by));
  return { form_id: id ?? NOBODY };
}

const namings = (by = ""): DialectAddress["by"] => by.split(",") as unknown as DialectAddress["by"];

/** An id wins over an alias, and its row is at hand for the handler. A key is one of the default team. */
async function idByName(core: Core, name: string, by: DialectAddress["by"]): Promise<string | null> {
  if (!ALIAS.test(name)) return null;
  const id = by.includes("id") ? (await core.rows.cached("forms", name))?.id : undefined;
  const byAlias = async (): Promise<string | null> => (by.includes("alias") ? formIdByAlias(core, name) : null);
  return (
    id ??
    (await byAlias()) ??
    (by.includes("key") && KEY.test(name) ? await formIdByKey(core, DEFAULT_TEAM, name) : null)
  );
}
