import { z } from "zod";
import { parseMailbox } from "../lib/email.ts";
import { block, flag, moment, number, text } from "../lib/leaves.ts";
import type { Timestamp } from "../lib/wire.ts";

/** An SMTP server of a team, as the in-process API returns it. The password is never returned. */
export const EmailServer = z
  .object({
    /** The server's id. */
    id: z.string(),
    /** The team it belongs to. */
    team_id: z.string(),
    /** A name for people. */
    name: z.string(),
    /** The host name or IP address. */
    host: z.string(),
    /** The port, such as 465 or 587. */
    port: z.int(),
    /** True for TLS from the first byte; otherwise STARTTLS is used. */
    secure: z.boolean(),
    /** The user name; empty for none. */
    username: z.string(),
    /** True if a password is stored; it is never returned. */
    password_set: z.boolean(),
    /** The address that mails come from. */
    from: z.string(),
  })
  .meta({ id: "EmailServer" });
export type EmailServer = z.infer<typeof EmailServer>;

const line = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !/\p{Cc}/u.test(value), "must not contain line breaks or other control characters");

const HOST =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?$|^[0-9a-f:.]*:[0-9a-f:.]*$/i;

// The ports of mail, and those that no system service has: a server's settings are no way to knock at the others.
const MAIL_PORTS = new Set([25, 465, 587]);

const leaves = {
  /** A name for people. */
  name: line(128).min(1),
  /** The host name or IP address. */
  host: z.string().regex(HOST, "must be a host name or an IP address, without a scheme or a port"),
  /** The port: 25, 465, 587, 2525 or one from 1024. */
  port: z
    .int()
    .max(65_535)
    .refine((port) => MAIL_PORTS.has(port) || port >= 1_024, "must be 25, 465, 587, or from 1024 to 65535"),
  /** TLS from the first byte, as on port 465; without it the connection is upgraded by STARTTLS. */
  secure: z.boolean(),
  /** The user name; empty for none. */
  username: line(256),
  /** The password; stored encrypted. */
  password: line(1_024),
  /** The sender's address where a form names none, `Name <address>` or the address alone. */
  from: line(300).refine((value) => parseMailbox(value) !== null, 'must be an address, or "Name <address>"'),
};

/** Input of `emailServers.create`. Default of `secure`: true on port 465. */
export const EmailServerCreate = z.strictObject({
  ...leaves,
  /** The team it belongs to. */
  team_id: z.string().max(64).optional(),
  /** True for TLS from the first byte; by default on port 465. */
  secure: leaves.secure.optional(),
  /** The user name; empty for none. */
  username: leaves.username.default(""),
  /** The password; stored encrypted. */
  password: leaves.password.default(""),
});
export type EmailServerCreate = z.input<typeof EmailServerCreate>;

/** Input of `emailServers.update`; `password: ""` removes the password. */
export const EmailServerPatch = z.strictObject(leaves).partial();
export type EmailServerPatch = z.input<typeof EmailServerPatch>;

export const EmailServerDeleted = z.object({
  /** The id of the deleted server. */
  id: z.string(),
  /** Always true. */
  deleted: z.literal(true),
});
export type EmailServerDeleted = z.infer<typeof EmailServerDeleted>;

/** A stored email server. The password is sealed; "" if there is none. */
export interface EmailServerRecord {
  team_id: string;
  name: string;
  host: string;
  port: number;
  secure: boolean;
  username: string;
  password: string;
  from: string;
  created_at: z.infer<typeof Timestamp>;
}

/** Reads an email server from the store. */
export const emailServerLeaf = block<EmailServerRecord>({
  team_id: text(),
  name: text("Untitled"),
  // Without a host, mail would go to this machine.
  host: text(),
  port: number(587),
  secure: flag(false),
  username: text(""),
  password: text(""),
  from: text(""),
  created_at: moment(),
});
