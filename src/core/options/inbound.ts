import { z } from "zod";
import { isEmail } from "../../lib/email.ts";
import type { InboundRequest, Received } from "../../model/inbound.ts";

/** One mail service, as `postmarkInbound({ … })` and the others of `form-backend/inbound` make it. */
export interface InboundProvider {
  /** The last part of its address: `/inbound/postmark`. */
  readonly name: string;
  /** The status with which a request ends that the service is not to repeat, such as one that is too large. */
  readonly stops: number;
  /** Checks and reads a request of the service. Throws where another try may help. */
  readonly receive: (request: InboundRequest) => Promise<Received>;
}

/** The option `inbound`. */
export interface Inbound {
  /** The domain whose mail the services receive. Answers ask to be written to at `reply+…` in it. */
  domain: string;
  /** The mail services that may call this backend. */
  providers: readonly InboundProvider[];
}

const Provider = z.custom<InboundProvider>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "receive") === "function" &&
    /^[a-z0-9-]{1,40}$/.test(String(Reflect.get(value, "name"))),
  'must be what postmarkInbound({ … }) or another one of "form-backend/inbound" returns',
);

export const InboundSchema = z.strictObject({
  domain: z.string().refine((value) => isEmail(`a@${value}`), "must be a domain such as in.example.com"),
  providers: z
    .array(Provider)
    .min(1, "must name a provider")
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      "must have each provider once, for each has one address",
    ),
});
