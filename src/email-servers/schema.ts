import { z } from "zod";
import { parseMailbox } from "../lib/email.ts";
import type { Timestamp } from "../lib/wire.ts";

/** An SMTP server that a team sends with, as the in-process API answers it; the password never comes back. */
export const EmailServer = z
  .object({
    id: z.string(),
    team_id: z.string(),
    name: z.string(),
    host: z.string(),
    port: z.int(),
    secure: z.boolean(),
    username: z.string(),
    password_set: z.boolean(),
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
  name: line(128).min(1),
  host: z.string().regex(HOST, "must be a host name or an IP address, without a scheme or a port"),
  port: z
    .int()
    .max(65_535)
    .refine((port) => MAIL_PORTS.has(port) || port >= 1_024, "must be 25, 465, 587, or from 1024 to 65535"),
  /** TLS from the first byte, as on port 465; without it the connection is upgraded by STARTTLS. */
  secure: z.boolean(),
  username: line(256),
  password: line(1_024),
  /** The sender's address where a form names none, `Name <address>` or the address alone. */
  from: line(300).refine((value) => parseMailbox(value) !== null, 'must be an address, or "Name <address>"'),
};

/** What `emailServers.create` takes; `secure` is true on port 465 unless it is said. */
export const EmailServerCreate = z.strictObject({
  ...leaves,
  team_id: z.string().max(64).optional(),
  secure: leaves.secure.optional(),
  username: leaves.username.default(""),
  password: leaves.password.default(""),
});
export type EmailServerCreate = z.input<typeof EmailServerCreate>;

/** What `emailServers.update` takes; `password: ""` removes the password. */
export const EmailServerPatch = z.strictObject(leaves).partial();
export type EmailServerPatch = z.input<typeof EmailServerPatch>;

export const EmailServerDeleted = z.object({ id: z.string(), deleted: z.literal(true) });
export type EmailServerDeleted = z.infer<typeof EmailServerDeleted>;

/** An email server as it is stored; the password is sealed, "" where there is none. */
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
