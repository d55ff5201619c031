import { z } from "zod";

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
export interface DomainRecord {
  /** The kind of DNS record. */
  type: "TXT";
  /** The name of the record. */
  name: string;
  /** The text to publish; a part in angle brackets is to be replaced. */
  value: string;
  /** True if DNS has it, and receivers can use it. */
  found: boolean;
}

/** The result of `teams.verifyDomain`. */
export interface DomainVerification {
  /** True if every record was found. */
  verified: boolean;
  /** The records: proof of ownership, SPF, DKIM and DMARC. */
  records: DomainRecord[];
}
