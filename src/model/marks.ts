/** End of a mark that the sweep finds expired, beyond the removal of its row. */
type End = "nothing" | "upload" | "submissions" | "value" | "team" | "move";

/**
 * Every kind of mark, by the prefix of its id: `upload:file_1`. `ends` is done before the sweep removes an expired row. The
 * feature that writes a kind has the leaves of its other members.
 */
const markKinds = {
  /** A solution of an ALTCHA challenge that was used. */
  altcha: { ends: "nothing" },
  /** A render token that was used. */
  token: { ends: "nothing" },
  /** An idempotency key with the fingerprint of its post. */
  idem: { ends: "nothing" },
  /** A pending submission that its sender confirmed. */
  confirmed: { ends: "nothing" },
  /** Bytes that no submission has yet. */
  upload: { ends: "upload" },
  /** Submissions that a deleted form left. */
  retention: { ends: "submissions" },
  /** The greatest time that sweeps believe. */
  "retention-clock": { ends: "nothing" },
  /** The process that sweeps, and the time of the last sweep. */
  sweep: { ends: "nothing" },
  /** The key of a form's encrypted values. */
  "data-key": { ends: "nothing" },
  /** The images of a form, so that two processes don't both store the last one. */
  images: { ends: "nothing" },
  /** A form whose unread submissions were counted lately. */
  recount: { ends: "nothing" },
  /** The progress of removing the names of a form's readers. */
  readers: { ends: "nothing" },
  /** The progress of naming the senders of submissions that are older than that column. */
  senders: { ends: "nothing" },
  /** A form that fell quiet, of which the host was told. */
  quiet: { ends: "nothing" },
  /** The visitors of a day, each counted once. */
  seen: { ends: "nothing" },
  /** The time up to which a team's marks of spam teach nothing. */
  "spam-model": { ends: "nothing" },
  /** The places of a form that are taken. Where it is absent, they are counted again. */
  places: { ends: "nothing" },
  /** The values that a form takes once, as a keyed hash, and the submission that has them. */
  unique: { ends: "value" },
  /** The submissions of a team's month. */
  month: { ends: "nothing" },
  /** The submissions and bytes that a team stores, where it has a limit for them. */
  stock: { ends: "nothing" },
  /** The deletion of a team under way, and its receipt. */
  "team-deletion": { ends: "team" },
  /** A form whose rows follow it to another team. */
  "form-move": { ends: "move" },
  /** A sign-in link of the inbox that was used. */
  "inbox-link": { ends: "nothing" },
  /** A session of the inbox that was closed. */
  "inbox-out": { ends: "nothing" },
  /** The time before which a person's sessions have ended. */
  "inbox-ended": { ends: "nothing" },
  /** The people who are at a team's submissions right now. */
  presence: { ends: "nothing" },
  /** An address that agreed to get a form's mails. */
  recipient: { ends: "nothing" },
  /** Mails of the hour: replies to one mailbox. */
  reply: { ends: "nothing" },
  /** Mails of the hour: notifications to one mailbox over one server. */
  owner: { ends: "nothing" },
  /** Mails of the hour: tests to one mailbox, and those of a team. */
  test: { ends: "nothing" },
  tests: { ends: "nothing" },
  /** Mails of the hour: requests for a recipient's consent to one mailbox, and those of a team. */
  confirmation: { ends: "nothing" },
  confirmations: { ends: "nothing" },
  /** Mails of the hour: requests for a visitor's consent to one mailbox. */
  "opt-in": { ends: "nothing" },
  /** Mails of the hour: mails to one mailbox that a person sent again. */
  "again-owner": { ends: "nothing" },
  "again-visitor": { ends: "nothing" },
  /** Answers to submissions: those of a team's hour, and those of a day to one address. */
  replies: { ends: "nothing" },
  "reply-to": { ends: "nothing" },
  /** Mails of the hour: copies to one mailbox of what came in. */
  forward: { ends: "nothing" },
  /** An address that has written to a team. */
  answered: { ends: "nothing" },
  /** The id that a mail service gave a mail of ours. */
  mail: { ends: "nothing" },
  /** A message of a mail service that was dealt with. */
  inbound: { ends: "nothing" },
  /** Soft bounces in a row of an address. */
  "soft-bounce": { ends: "nothing" },
  /** An owner's address that came back, of which another owner was told lately. */
  "owner-bounce": { ends: "nothing" },
  /** Tries of the hour to reach a team's email server. */
  connections: { ends: "nothing" },
  /** The form with a key, in a team. */
  "form-key": { ends: "nothing" },
  /** The team that may send from a domain. */
  "sender-domain": { ends: "nothing" },
  /** The team whose forms are served at a host name. */
  "team-host": { ends: "nothing" },
  /** The processes that use the store. */
  processes: { ends: "nothing" },
  /** The form with an alias. */
  "form-alias": { ends: "nothing" },
} as const satisfies Readonly<Record<string, { readonly ends: End }>>;

type MarkKind = keyof typeof markKinds;

/** The id of a mark: its kind, and what it marks. */
export type MarkId = MarkKind | `${MarkKind}:${string}`;

/** The work at the end of a mark with this id; null for a kind that only a later version knows. */
export function endOfMark(id: string): End | null {
  const [kind = ""] = id.split(":", 1);
  return Object.hasOwn(markKinds, kind) ? markKinds[kind as MarkKind].ends : null;
}
