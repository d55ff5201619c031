import { perBackend, warnOnce } from "../api/kernel.ts";
import type { MountedInbox } from "./mounted.ts";
import { type Guest, type LinkTo, ticketFor } from "./session.ts";

/** Seconds that a link works, if nobody says otherwise. */
export const LINK_SECONDS = 900;
/** Milliseconds between two links in the log, which strangers could fill otherwise. */
const LINK_EVERY_MS = 5_000;

/** The address of a link, and its end. */
export async function linkTo({ core, settings }: MountedInbox, guest: Guest, link: LinkTo) {
  const { token, expires_at } = await ticketFor(core, guest, link);
  return { url: `${core.options.baseUrl}${settings.path}/enter?token=${token}`, expires_at };
}

/** True outside production for an inbox without a gate: its developer enters by a link in the log. */
export const isDevelopersOwn = ({ settings }: MountedInbox): boolean =>
  !settings.authenticate && !settings.apiKeys && process.env["NODE_ENV"] !== "production";

const lastLink = perBackend(() => ({ at: Number.NEGATIVE_INFINITY }));

/** Logs a link to every team. Somebody who can read the log of a development server may see them anyway. */
export async function logDeveloperLink(mounted: MountedInbox): Promise<void> {
  const { core } = mounted;
  const now = core.clock.now();
  const last = lastLink(core);
  if (now - last.at < LINK_EVERY_MS) return;
  last.at = now;
  const guest: Guest = { id: "developer", name: "Developer", role: "admin", team_ids: null };
  const { url } = await linkTo(mounted, guest, { to: "/", seconds: LINK_SECONDS, embed: false });
  core.options.logger.info(`open the inbox with this link; it works once, within 15 minutes: ${url}`);
}

/** Warns once in production if nobody can sign in. */
export function warnWithoutGate({ core, settings }: MountedInbox): void {
  if (settings.authenticate || settings.apiKeys) return;
  warnOnce(
    core,
    "inbox",
    () =>
      "nobody can sign in to the inbox but with a link of `backend.inbox.link`: set `authenticate` or `apiKeys` of inbox({ … })",
  );
}
