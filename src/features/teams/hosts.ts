import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { wrongParameter } from "../../errors.ts";
import { type Cache, createCache } from "../../lib/cache.ts";
import { block, type Leaf, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";

/** A host belongs to one team. The row is written with the team's, so two teams can't have it at the same time. */
interface HostRow {
  team_id: string;
  /** It never expires. */
  expires_at: null;
}
const never: Leaf<null> = { read: () => null };
const hostLeaf = block<HostRow>({ team_id: text(), expires_at: never });
const hostRow = (host: string): MarkId => `team-host:${host}`;

/** Hosts that were asked for, those of no team among them: programs try every name at an address. */
const asked = perBackend(({ clock }): Cache<{ readonly team_id: string | null }> => createCache(clock));

const hostOf = (base_url: string): string => new URL(base_url).host;

/** The writes with which a team's host changes; none where it stays. Throws `invalid_parameter` with `base_url`. */
export async function changedHost(
  core: Core,
  team_id: string,
  had: string | null,
  has: string | null,
): Promise<Write[]> {
  const [before, after] = [had && hostOf(had), has && hostOf(has)];
  if (has !== null) assertPath(core, has);
  if (before === after) return [];
  const writes: Write[] = before === null ? [] : [remove("marks", hostRow(before))];
  if (after === null) return writes;
  const taken = "is the address of another team, or of the backend itself";
  if (ownHosts(core).has(after)) throw wrongParameter("base_url", taken);
  const holder = await core.rows.mark(hostRow(after), hostLeaf);
  if (holder && holder.value.team_id !== team_id) throw wrongParameter("base_url", taken);
  const row: HostRow = { team_id, expires_at: null };
  return holder ? writes : [...writes, put("marks", hostRow(after), row, null)];
}

/** True for the row that one of two teams loses to the other. */
export const isHostRow = (id: string): boolean => id.startsWith("team-host:");

/** The backend finds its addresses below one path, whatever the host. */
function assertPath({ options }: Core, base_url: string): void {
  const path = new URL(base_url).pathname.replace(/\/$/, "");
  if (path === "" || path === options.basePath) return;
  const may = options.basePath === "" ? "no path" : `no path, or the one of \`baseUrl\`: ${options.basePath}`;
  throw wrongParameter("base_url", `must have ${may}`);
}

const ownHosts = perBackend(
  ({ options }) => new Set([new URL(options.baseUrl).host, new URL(options.legacyBaseUrl).host]),
);

/** Numbers alone, as in `127.0.0.1`, or an IPv6 address. */
const ADDRESS = /^[\d.]+(?::\d+)?$|^\[/;

/** False for the backend's own hosts, and for what can be no team's, so that such a request costs no look-up. */
export const mayBeTeamHost = (core: Core, host: string): boolean =>
  !ownHosts(core).has(host) && host.length <= 260 && !ADDRESS.test(host);

/** True where `teamAt` has to ask the store. */
export const isUnknownHost = (core: Core, host: string): boolean => !asked(core).has(host);

/** The team whose forms are served at a host name, with its port if that is not the usual one; null for none. At most 2 s old. */
export async function teamAt(core: Core, host: string): Promise<string | null> {
  if (!mayBeTeamHost(core, host)) return null;
  const row = await asked(core).get(host, async () => ({
    team_id: (await core.rows.mark(hostRow(host), hostLeaf))?.value.team_id ?? null,
  }));
  return row?.team_id ?? null;
}

/** Forgets hosts that this process has changed. */
export function forgetHosts(core: Core, ...urls: (string | null)[]): void {
  for (const url of urls) if (url !== null) asked(core).drop(hostOf(url));
}

/** True for a host name that the backend answers at: its own, and those of its teams. */
export async function hostAllowed(core: Core, host: string): Promise<boolean> {
  const name = host.trim().toLowerCase().replace(/\.$/, "");
  const isOwn = [...ownHosts(core)].some((own) => own === name || own.replace(/:\d+$/, "") === name);
  return isOwn || (name !== "" && (await teamAt(core, name)) !== null);
}
