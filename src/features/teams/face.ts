import type { Core } from "../../core/core.ts";
import { backendOf, perBackend, viewOf } from "../../core/per-backend.ts";
import type { Rows } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { domainOf, parseMailbox } from "../../lib/email.ts";
import { userAgentNamed } from "../../lib/user-agent.ts";
import type { TeamRecord } from "../../model/teams.ts";

/** Views by the record of their team: one for all that uses the same read of it. */
const views = perBackend(() => new WeakMap<TeamRecord, Core>());
/** The team of a view. */
const teamOfView = perBackend(() => new WeakMap<Core, string>());

/**
 * The backend as a team's visitors see it: with the team's base URL, names, pictures and sender in `options`. It is `core` itself
 * for a team without any, which is one cached look-up.
 */
export function facing(core: Core, team_id: string): Promise<Core> {
  if (teamOfView(core).get(core) === team_id) return Promise.resolve(core);
  // Not `cachedTeam`, which makes the team `default` on first sight: a host's transaction may hold the store meanwhile.
  return core.rows.cached("teams", team_id).then(
    (team) => (team ? facingAs(core, team.id, team.value) : core),
    (error: unknown) => {
      // A team that can't be read fails where it is needed; what else is shown of it has the backend's face meanwhile.
      if (error instanceof ApiError && error.code === "internal_error") return core;
      throw error;
    },
  );
}

/** The same, where the team is known at once; null says nothing. */
export function facingKnown(core: Core, team_id: string): Core | null {
  const team = core.rows.known("teams", team_id);
  return team && facingAs(core, team_id, team.value);
}

/** The backend with a team's names and pictures, at its own address: for pages of the backend that a team's people see. */
export async function branded(core: Core, team_id: string): Promise<Core> {
  const face = await facing(core, team_id);
  if (face === core) return core;
  const { baseUrl, basePath } = core.options;
  return viewOf(core, { options: { ...face.options, baseUrl, basePath } });
}

/** The same as `facing`, for a team whose record is at hand. */
function facingAs(core: Core, team_id: string, team: TeamRecord): Core {
  const seen = teamOfView(core).get(core);
  if (seen === team_id) return core;
  const backend = backendOf(core);
  // At another team's host, to which a form that was moved away still answers, the view is that team's.
  if (!hasFace(team)) return seen === undefined ? core : backend;
  const known = views(backend).get(team);
  if (known) return known;
  const view = viewOf(backend, { options: optionsOf(backend, team) });
  views(backend).set(team, view);
  teamOfView(backend).set(view, team_id);
  return view;
}

/**
 * The backend as the team's own host serves it: rows of other teams are not there, so that no address of theirs leads anywhere.
 * Those of forms that were moved away from the team are: pages that nobody changes post to them there.
 */
export function servedTo(core: Core, team_id: string, team: TeamRecord): Core {
  const face = facingAs(core, team_id, team);
  const view = viewOf(face, { rows: onlyOf(core.rows, team_id) });
  teamOfView(core).set(view, team_id);
  return view;
}

const hasFace = ({ base_url, brand }: TeamRecord): boolean =>
  base_url !== null || Object.values(brand).some((value) => value !== null);

function optionsOf({ options }: Core, team: TeamRecord): Core["options"] {
  const { base_url, brand } = team;
  const { name, support_url } = brand;
  return {
    ...options,
    baseUrl: base_url ?? options.baseUrl,
    from: senderOf(options, team),
    brand: {
      ...options.brand,
      ...(name !== null && { name, userAgent: userAgentNamed(name), supportUrl: "" }),
      ...(support_url !== null && { supportUrl: support_url }),
    },
    look: {
      logo_url: brand.logo_url ?? options.look.logo_url,
      logo_dark_url: brand.logo_dark_url ?? options.look.logo_dark_url,
      primary: brand.primary ?? options.look.primary,
    },
  };
}

/** The domain may have lost its records since the sender was set. */
function senderOf({ from, brand: usual }: Core["options"], { brand, sender_domains }: TeamRecord): typeof from {
  const named = { name: brand.name ?? (from.name || usual.name), address: from.address };
  const own = brand.from === null ? null : parseMailbox(brand.from);
  if (!own) return brand.name === null ? from : named;
  const isOurs = own.address === from.address;
  const isVerified = sender_domains.some(({ domain, verified }) => verified && domain === domainOf(own.address));
  return isOurs || isVerified ? { name: own.name || named.name, address: own.address } : named;
}

interface Owned {
  readonly team_id?: string;
  readonly form_id?: string;
  readonly former_team_ids?: readonly string[];
}

function onlyOf(rows: Rows, team_id: string): Rows {
  const isOwn = (value: Owned): boolean =>
    value.team_id === undefined || value.team_id === team_id || (value.former_team_ids?.includes(team_id) ?? false);
  const own = async <R extends { readonly value: object } | null>(read: Promise<R>): Promise<R | null> => {
    const row = await read;
    const value: Owned = row?.value ?? {};
    if (isOwn(value)) return row;
    const form = value.form_id === undefined ? null : await rows.cached("forms", value.form_id);
    return form && isOwn(form.value) ? row : null;
  };
  return {
    ...rows,
    get: (collection, id) => own(rows.get(collection, id)),
    batched: (collection, id) => own(rows.batched(collection, id)),
    known: (collection, key) => {
      const row = rows.known(collection, key);
      return row && isOwn(row.value as Owned) ? row : null;
    },
    cached: (collection, key, load) => own(rows.cached(collection, key, load)),
  };
}
