import { randomBytes } from "node:crypto";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import { block, nullable, number, time } from "../../lib/leaves.ts";
import { createSeal } from "../../lib/seal.ts";
import type { MarkId } from "../../model/marks.ts";
import { type Core, perBackend, put, retrying, signerFor } from "../api/kernel.ts";
import type { User } from "./options-people.ts";

/** A session ends this long after the last page, and after `LONGEST` in any case. */
const IDLE_MS = 12 * HOUR_MS;
const LONGEST_MS = 7 * DAY_MS;
/** The cookie is written again at most this often. */
const RENEW_MS = 10 * 60_000;

const sealOf = perBackend(({ options }) => createSeal(() => options.secrets, "inbox"));
const signerOf = signerFor("inbox users");

/** Somebody of a link; `team_ids` is null for a link that leads to every team. */
export type Guest = Omit<User, "team_ids"> & { readonly team_ids: readonly string[] | null };

/** The content of the cookie. */
export interface Session {
  readonly sid: string;
  /** Times of its start and of the last request, in epoch ms. */
  readonly began: number;
  readonly seen: number;
  /** The time when its user's sessions were last ended; 0 = never. */
  readonly epoch: number;
  readonly guest?: Guest;
  readonly key_id?: string;
  /** True in a frame of another page. */
  readonly embed?: boolean;
}

/** The content of a link. */
export interface Ticket {
  readonly id: string;
  readonly epoch: number;
  readonly expires: number;
  readonly guest: Guest;
  readonly to: string;
  readonly embed?: boolean;
}

/** Where a link leads, for how long, and whether into a frame. */
export interface LinkTo {
  readonly to: string;
  readonly seconds: number;
  readonly embed: boolean;
}

interface Ended {
  at: number;
  expires_at: string | null;
}
const endedLeaf = block<Ended>({ at: number(0), expires_at: nullable(time()) });

const usedMark = (id: string): MarkId => `inbox-link:${id}`;
const outMark = (sid: string): MarkId => `inbox-out:${sid}`;
const endedMark = (core: Core, userId: string): MarkId => `inbox-ended:${signerOf(core).conceal(userId)}`;
const newId = (): string => randomBytes(16).toString("base64url");

/** Seals a value for a purpose. */
export const seal = (core: Core, kind: string, value: object): Promise<string> =>
  sealOf(core).seal(JSON.stringify({ kind, ...value }));

/** Null if it is not ours, or was sealed for another purpose. */
export async function unsealed(core: Core, kind: string, sealed: string): Promise<unknown> {
  if (sealed.length > 8_000) return null;
  try {
    const value: { kind?: unknown } = JSON.parse(await sealOf(core).open(sealed));
    return value.kind === kind ? value : null;
  } catch {
    return null;
  }
}

/** A ticket as the token of a link. */
export async function ticketFor(core: Core, guest: Guest, { to, seconds, embed }: LinkTo) {
  const expires = core.clock.now() + seconds * 1_000;
  const ticket: Ticket = { id: newId(), epoch: await epochOf(core, guest.id), expires, guest, to, embed };
  return { token: await seal(core, "link", ticket), expires_at: iso(ticket.expires) };
}

/** The ticket of a token, expired or not; null where it is none of ours. */
export const readTicket = async (core: Core, token: string): Promise<Ticket | null> =>
  (await unsealed(core, "link", token)) as Ticket | null;

/** True if a ticket was used, or its user's sessions were ended since. */
export async function isSpent(core: Core, { id, epoch, guest }: Ticket): Promise<boolean> {
  const marks = await core.storage.get("marks", [usedMark(id), endedMark(core, guest.id)]);
  return marks.has(usedMark(id)) || lastEnd(core, marks, guest.id) > epoch;
}

/** Uses a ticket up. False where somebody was first. */
export async function spend(core: Core, ticket: Ticket): Promise<boolean> {
  if (await isSpent(core, ticket)) return false;
  const expires_at = iso(ticket.expires + DAY_MS);
  try {
    await core.commitNow([put("marks", usedMark(ticket.id), { expires_at }, null)]);
    return true;
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
}

/** Begins a session of a guest or of the owner of a key. */
export async function newSession(core: Core, who: Pick<Session, "guest" | "key_id" | "embed">): Promise<Session> {
  const now = core.clock.now();
  return { sid: newId(), began: now, seen: now, epoch: await epochOf(core, nameOf(who)), ...who };
}

const nameOf = ({ guest, key_id }: Pick<Session, "guest" | "key_id">): string => guest?.id ?? key_id ?? "";

/** The session in a cookie's value; null if it is over, was ended or is not ours. */
export async function readSession(core: Core, cookie: string): Promise<Session | null> {
  const session = (await unsealed(core, "session", cookie)) as Session | null;
  if (!session || core.clock.now() >= endOf(session)) return null;
  const who = nameOf(session);
  const marks = await core.storage.get("marks", [outMark(session.sid), endedMark(core, who)]);
  if (marks.has(outMark(session.sid)) || lastEnd(core, marks, who) > session.epoch) return null;
  return session;
}

/** The cookie's value of a session, and for how many seconds it is good. */
export async function written(core: Core, session: Session): Promise<{ value: string; seconds: number }> {
  const seen: Session = { ...session, seen: core.clock.now() };
  return { value: await seal(core, "session", seen), seconds: Math.floor((endOf(seen) - seen.seen) / 1_000) };
}

/** True if the cookie should be written again, so that a session in use does not expire. */
export const isStale = (core: Core, { seen }: Session): boolean => core.clock.now() - seen >= RENEW_MS;

/** Ends one session. */
export const endSession = (core: Core, { sid }: Session): Promise<unknown> =>
  core.commitNow([put("marks", outMark(sid), { expires_at: iso(core.clock.now() + LONGEST_MS) })]);

/** Ends everything that a user has started so far: sessions, and unused links. */
export async function endSessionsOf(core: Core, userId: string): Promise<void> {
  await retrying(async () => {
    const id = endedMark(core, userId);
    const before = await core.rows.mark(id, endedLeaf);
    const now = core.clock.now();
    // Later than the last one even if the clock is not: later sessions must differ from the ended ones.
    const ended: Ended = { at: Math.max(now, (before?.value.at ?? 0) + 1), expires_at: iso(now + LONGEST_MS) };
    await core.commitNow([put("marks", id, ended, before?.version ?? null)]);
  });
}

const endOf = ({ seen, began }: Session): number => Math.min(seen + IDLE_MS, began + LONGEST_MS);

type Marks = Awaited<ReturnType<Core["storage"]["get"]>>;

function lastEnd(core: Core, marks: Marks, userId: string): number {
  const row = marks.get(endedMark(core, userId));
  return row ? core.rows.asMark(row, endedLeaf).value.at : 0;
}

const epochOf = async (core: Core, userId: string): Promise<number> =>
  (await core.rows.mark(endedMark(core, userId), endedLeaf))?.value.at ?? 0;
