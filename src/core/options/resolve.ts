import { domainToASCII } from "node:url";
import { USUAL_PRIMARY } from "../../lib/brand.ts";
import { domainOf, parseMailbox } from "../../lib/email.ts";
import { userAgentNamed } from "../../lib/user-agent.ts";
import { createLanguages } from "../../texts/locales/_languages.ts";
import { faultOf } from "./faults.ts";
import { resolveHostWebhooks } from "./host-webhooks.ts";
import { resolveIntegrations } from "./integrations.ts";
import { loggerOf } from "./logger.ts";
import { mergePlans } from "./plans.ts";
import { resolveRates } from "./rate-limit.ts";
import { OptionsSchema } from "./schema.ts";
import { secretsOf } from "./secret.ts";
import type { FormBackendOptions, Options } from "./types.ts";

/** Checks the host's options and adds defaults. Throws a TypeError that names the option and what to change. */
export function resolveOptions(input: FormBackendOptions): Options {
  const parsed = OptionsSchema.safeParse(input, { reportInput: true });
  if (!parsed.success) throw new TypeError(`[form-backend] option ${faultOf(parsed.error.issues, input)}`);
  const { secret, storage, mailer, blob, queue, inbox, mcp, logger: _, locales, language, ...options } = parsed.data;
  const logger = loggerOf(input.logger);
  const baseUrl = trimmed(options.baseUrl);
  const legacyBaseUrl = trimmed(options.legacyBaseUrl ?? options.baseUrl);
  const secrets = secretsOf(secret, input.storage?.beside, logger);
  const plans = mergePlans(input.plans);
  if (!plans.has(options.defaultPlan))
    throw new TypeError(`[form-backend] option \`defaultPlan\`: there is no plan "${options.defaultPlan}"`);

  const languages = createLanguages(locales, language);
  if (!languages.tags.includes(language)) {
    throw new TypeError(
      `[form-backend] option \`language\`: "${language}" is not among \`locales\`; loaded are ${languages.tags.join(", ")}`,
    );
  }

  if (options.files.direct && typeof blob?.presign !== "function") {
    throw new TypeError(
      "[form-backend] option `files.direct`: needs `blob` to be a driver that browsers can upload to, such as s3Blob(…) or r2Blob(bucket, { s3: … })",
    );
  }

  const from = parseMailbox(options.from ?? `no-reply@${new URL(baseUrl).hostname}`) ?? {
    name: "",
    address: "no-reply@localhost.invalid",
  };

  const { name } = options.brand;
  const isNamed = input.brand?.name !== undefined && input.brand.userAgent === undefined;

  return {
    ...options,
    brand: isNamed ? { ...options.brand, userAgent: userAgentNamed(name) } : options.brand,
    baseUrl,
    basePath: pathOf(baseUrl),
    legacyBaseUrl,
    legacyBasePath: pathOf(legacyBaseUrl),
    secretLasts: input.storage?.beside !== undefined || [secret ?? []].flat().some((text) => text !== ""),
    get secrets() {
      return secrets();
    },
    encryption: input.encryption,
    from,
    look: { logo_url: "", logo_dark_url: "", primary: USUAL_PRIMARY },
    senderDomains: new Set(options.senderDomains?.map((domain) => domainToASCII(domain)) ?? [domainOf(from.address)]),
    plans,
    dialects: new Set(options.dialects),
    languages,
    oauth: input.oauth,
    country: input.country,
    rateLimit: resolveRates(input.rateLimit),
    hostWebhooks: resolveHostWebhooks(options.hostWebhooks, options.webhooks),
    integrations: resolveIntegrations(input.integrations),
    logger,
  };
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, "");
