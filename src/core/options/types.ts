import type { z } from "zod";
import type { Secret } from "../../lib/secrets.ts";
import type { DialectName } from "../../model/dialects.ts";
import type { Languages } from "../../texts/locales/_languages.ts";
import type { Rates } from "../rates/rates.ts";
import type { EncryptionOptions } from "./encryption.ts";
import type { HostWebhook } from "./host-webhooks.ts";
import type { Integrations } from "./integrations.ts";
import type { Logger } from "./logger.ts";
import type { OAuthOptions } from "./oauth.ts";
import type { Plan } from "./plans.ts";
import type { OptionsSchema } from "./schema.ts";
import type { CountryOption } from "./spam.ts";

export type { FormBackendOptions } from "./given.ts";
export type { LogFields, Logger } from "./logger.ts";

/** Options that become something else, or whose types say more than the schema's. */
type Resolved =
  | "country"
  | "dialects"
  | "encryption"
  | "from"
  | "hostWebhooks"
  | "integrations"
  | "legacyBaseUrl"
  | "oauth"
  | "plans"
  | "rateLimit"
  | "senderDomains";
/** Options that are in other parts of a backend, or in the resolved ones. */
type Elsewhere =
  | "blob"
  | "inbox"
  | "language"
  | "locales"
  | "logger"
  | "mailer"
  | "mcp"
  | "queue"
  | "secret"
  | "storage";

/** The options with every default filled in: those of the schema, and what is made of them. */
export interface Options extends Readonly<Omit<z.output<typeof OptionsSchema>, Resolved | Elsewhere>> {
  readonly basePath: string;
  readonly legacyBaseUrl: string;
  readonly legacyBasePath: string;
  /** The option `secret`; the first is used for new data. */
  readonly secrets: readonly Secret[];
  /** False where the secret is made up for this process alone. */
  readonly secretLasts: boolean;
  readonly encryption: EncryptionOptions | undefined;
  readonly from: { name: string; address: string };
  /** The pictures and the colour of pages and mails whose form has none of its own. */
  readonly look: { readonly logo_url: string; readonly logo_dark_url: string; readonly primary: string };
  /** As DNS names. */
  readonly senderDomains: ReadonlySet<string>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly dialects: ReadonlySet<DialectName>;
  readonly languages: Languages;
  readonly oauth: OAuthOptions | undefined;
  readonly country: CountryOption | undefined;
  readonly rateLimit: Rates;
  readonly hostWebhooks: readonly HostWebhook[];
  readonly integrations: Integrations;
  readonly logger: Logger;
}
