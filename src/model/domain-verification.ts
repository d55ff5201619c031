import { z } from "zod";
import { TeamId } from "./teams.ts";

/** Input of `teams.verifyDomain` besides the team and the domain. */
export const VerifyDomainOptions = z.strictObject({
  /** Selectors of the DKIM keys that mail of the domain is signed with; left out, common ones are tried. */
  selectors: z
    .array(z.string().regex(/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,3}$/i, "must be a DKIM selector"))
    .min(1)
    .max(10)
    .optional(),
  /** The IP address of the name server to ask, such as `1.1.1.1`; by default those of this machine. */
  dns: z.string().optional(),
});
export type VerifyDomainOptions = z.input<typeof VerifyDomainOptions>;

/** A record that the owner of a domain has to publish. */
export const DomainRecord = z
  .object({
    /** The kind of DNS record. */
    type: z.literal("TXT"),
    /** The name of the record. */
    name: z.string(),
    value: z.string().describe("The text to publish; a part in angle brackets is to be replaced."),
    found: z.boolean().describe("True if DNS has it, and receivers can use it."),
  })
  .meta({ id: "DomainRecord" });
export type DomainRecord = z.infer<typeof DomainRecord>;

export const SenderDomainParams = z.object({
  /** The domain. */
  domain: z.string().min(1).max(253),
});

export const SenderDomainQuery = z.strictObject({
  selectors: VerifyDomainOptions.shape.selectors.describe(
    "Selectors of the DKIM keys that mail of the domain is signed with; repeat it for several. Default: common ones.",
  ),
  team_id: TeamId.optional().describe("The team, if the credential covers several."),
});

/** The options of `senderDomains.get`: those of HTTP, and the name server. */
export const SenderDomainOptions = SenderDomainQuery.extend({
  /** The IP address of the name server to ask, such as `1.1.1.1`; by default those of this machine. */
  dns: z.string().optional(),
});
export type SenderDomainOptions = z.input<typeof SenderDomainOptions>;

/** A domain that a team lists, and the records of it that DNS has now. */
export const SenderDomainState = z
  .object({
    /** The domain. */
    domain: z.string(),
    verified: z
      .boolean()
      .describe("True if the team's forms may send from it: the host verified it, which asking here does not do."),
    records: z.array(DomainRecord).describe("Proof of ownership, SPF, DKIM and DMARC, with what DNS has now."),
  })
  .meta({ id: "SenderDomainState" });
export type SenderDomainState = z.infer<typeof SenderDomainState>;

/** The result of `teams.verifyDomain`. */
export interface DomainVerification {
  /** True if every record was found. */
  verified: boolean;
  /** The records: proof of ownership, SPF, DKIM and DMARC. */
  records: DomainRecord[];
}
