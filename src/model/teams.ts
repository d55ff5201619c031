import { z } from "zod";
import { domainOf, isEmail } from "../lib/email.ts";
import { block, flag, type Leaf, list, moment, nullable, number, text } from "../lib/leaves.ts";
import { Email, Timestamp } from "../lib/wire.ts";
import { HostFormPatch } from "./form-input.ts";
import type { MarkId } from "./marks.ts";
import { BaseUrl, Brand, brandLeaf } from "./team-face.ts";

export const TeamId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores");

/** The owner of forms. `owner.email` is null if the host never set it. */
export const Team = z
  .object({
    /** The team's id. */
    id: TeamId,
    /** The team's name. */
    name: z.string(),
    /** False closes the forms of the team and its keys. */
    active: z.boolean(),
    /** The team's owner. */
    owner: z.object({
      /** The address of the owner; null for none. */
      email: z.string().nullable(),
      /** True once the owner has confirmed the address. */
      email_verified: z.boolean(),
    }),
    /** The name of its plan. */
    plan: z.string(),
    /** The address with which every public link of its forms begins; null for the option `baseUrl`. */
    base_url: z.string().nullable(),
    /** The names and pictures that its customers and visitors see; null for those of the backend. */
    brand: z.object({
      /** The name in mails, in the inbox and in the `User-Agent` of webhooks. */
      name: z.string().nullable(),
      /** The logo of pages and mails whose form has none. */
      logo_url: z.string().nullable(),
      /** The same on a dark background. */
      logo_dark_url: z.string().nullable(),
      /** The colour of buttons and links, such as `#2563eb`, where the form has the usual one. */
      primary: z.string().nullable(),
      /** The sender of its mails, as an address or `Name <address>`. */
      from: z.string().nullable(),
      /** A page for receivers of webhooks, in their `User-Agent`. */
      support_url: z.string().nullable(),
    }),
    /** The domains that its forms may send from over the mailer's own server, once they are verified. */
    sender_domains: z.array(
      z.object({
        /** The domain, as a DNS name. */
        domain: z.string(),
        /** True once `teams.verifyDomain` has found the team's records. */
        verified: z.boolean(),
      }),
    ),
    /** Limits of this team alone, besides those of its plan; null for none. */
    limits: z.object({
      /** Posts to its forms within a second, from all addresses together. */
      posts_per_second: z.number().nullable(),
      /** Bytes of all files that are stored with its submissions. */
      file_bytes: z.number().nullable(),
      /** Submissions that are stored, those in spam and those that wait for a confirmation among them. */
      stored_submissions: z.number().nullable(),
      /** API keys that are neither revoked nor expired. */
      keys: z.number().nullable(),
    }),
    /** Why the host has locked the team, whose forms take no posts; null if it has not. */
    locked: z
      .object({
        /** The reason, for the team. */
        reason: z.string(),
      })
      .nullable(),
    /** What new forms of the team have, where their input says nothing else. */
    defaults: z.record(z.string(), z.unknown()),
    /** The time of its creation. */
    created_at: Timestamp,
  })
  .meta({ id: "Team" });
export type Team = z.infer<typeof Team>;

const Owner = z.strictObject({
  /** The address of the owner; null for none. */
  email: Email.nullable(),
  /** True once the owner has confirmed the address. */
  email_verified: z.boolean(),
});
const name = z.string().min(1).max(128);

/** A domain in its one spelling, as a DNS name. */
export const SenderDomain = z
  .string()
  .max(253)
  .refine((domain) => isEmail(`a@${domain}`), "must be a domain such as example.com")
  .transform((domain) => domainOf(`a@${domain}`));

const senderDomains = z
  .array(
    z.union([
      SenderDomain,
      z.strictObject({
        /** The domain. */
        domain: SenderDomain,
        /** As it is in the answer; only `teams.verifyDomain` makes it true. */
        verified: z.boolean().default(false),
      }),
    ]),
  )
  .max(20);

const Limits = z
  .strictObject({
    /** Posts to its forms within a second, from all addresses together; null for any number. */
    posts_per_second: z.int().min(1).nullable(),
    /** Bytes of all files that are stored with its submissions; null for any number. */
    file_bytes: z.int().min(0).nullable(),
    /** Submissions that are stored, those in spam and those that wait for a confirmation among them; null for any number. */
    stored_submissions: z.int().min(0).nullable(),
    /** API keys that are neither revoked nor expired; null for any number. */
    keys: z.int().min(0).nullable(),
  })
  .partial();

/** A partial form; its names are unique, so none of them can be a default. */
const Defaults = HostFormPatch.refine(
  ({ settings }) => !settings?.key && !settings?.aliases?.length,
  "must not have `settings.key` or `settings.aliases`, which are unique",
);
const Lock = z
  .strictObject({
    /** Why, in 1 to 500 characters: the team reads it. */
    reason: z.string().trim().min(1).max(500),
  })
  .nullable();

export const TeamCreate = z.strictObject({
  /** An id of your own; left out, one is made. */
  id: TeamId.optional(),
  /** The team's name. */
  name,
  /** The name of its plan; by default the option `defaultPlan`. */
  plan: z.string().optional(),
  /** The team's owner. */
  owner: Owner.partial({ email_verified: true }).optional(),
  /** An `https` address whose host the customer has pointed to the backend; its forms alone are served there. */
  base_url: BaseUrl.nullable().optional(),
  /** The names and pictures that its customers and visitors see; those that are left out are the backend's. */
  brand: Brand.optional(),
  /** Domains that its forms will send from, at most 20; each has to be verified. */
  sender_domains: senderDomains.optional(),
  /** Limits of this team alone; those that are left out are null, which is none. */
  limits: Limits.optional(),
  /** What new forms of the team have, where their input says nothing else: a form without its key and aliases. */
  defaults: Defaults.optional(),
});
export type TeamCreate = z.input<typeof TeamCreate>;

export const TeamPatch = z
  .strictObject({
    /** The team's name. */
    name,
    /** False closes the forms of the team and its keys. */
    active: z.boolean(),
    /** The name of its plan. */
    plan: z.string(),
    /** The team's owner. */
    owner: Owner.partial(),
    /** An `https` address whose host the customer has pointed to the backend; null for the option `baseUrl`. */
    base_url: BaseUrl.nullable(),
    /** The names and pictures that its customers and visitors see; those that are left out stay, null gives the backend's. */
    brand: Brand,
    /** All domains that its forms may send from, at most 20. A new one has to be verified. */
    sender_domains: senderDomains,
    /** Limits of this team alone; those that are left out stay, null takes one away. */
    limits: Limits,
    /** What new forms of the team have, in place of the defaults before. */
    defaults: Defaults,
    /** Locks every form of the team; null takes the lock away. */
    locked: Lock,
  })
  .partial();
export type TeamPatch = z.input<typeof TeamPatch>;

/** A domain of a team. `token` is the text that proves in DNS that the team controls it. */
export type SenderDomainRecord = Team["sender_domains"][number] & { readonly token: string };

export type TeamRecord = Omit<Team, "id" | "sender_domains"> & {
  readonly sender_domains: readonly SenderDomainRecord[];
  /** True from the moment at which it is deleted until nothing of it is left. */
  readonly deleting: boolean;
};

/** The note of all that a team with limits stores. Removed, it is made anew by a count. */
export const stockMark = (team_id: string): MarkId => `stock:${team_id}`;

/** A team without limits of its own. */
export const NO_LIMITS: Team["limits"] = {
  posts_per_second: null,
  file_bytes: null,
  stored_submissions: null,
  keys: null,
};

/** Checked when it was set, and again by each form that is made of it. */
const partialForm: Leaf<TeamRecord["defaults"]> = {
  read: (stored) =>
    typeof stored === "object" && stored !== null && !Array.isArray(stored) ? (stored as TeamRecord["defaults"]) : {},
};

/** Reads a team from the store. Without a plan it has the least one, `free`. */
export const teamLeaf = block<TeamRecord>({
  name: text("Untitled"),
  active: flag(true),
  owner: block<TeamRecord["owner"]>({ email: nullable(text()), email_verified: flag(true) }),
  plan: text("free"),
  base_url: nullable(text()),
  brand: brandLeaf,
  sender_domains: list(block<SenderDomainRecord>({ domain: text(""), verified: flag(false), token: text("") })),
  limits: block<Team["limits"]>({
    posts_per_second: nullable(number()),
    file_bytes: nullable(number()),
    stored_submissions: nullable(number()),
    keys: nullable(number()),
  }),
  deleting: flag(false),
  locked: nullable(block<NonNullable<Team["locked"]>>({ reason: text("") })),
  defaults: partialForm,
  created_at: moment(),
});
