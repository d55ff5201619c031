import { domainToASCII } from "node:url";
import { systemClock } from "../../lib/clock.ts";
import { domainOf, parseMailbox } from "../../lib/email.ts";
import { createLanguages } from "../../texts/locales/_languages.ts";
import { faultOf } from "./faults.ts";
import { type FilesOptions, resolveFiles } from "./files.ts";
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
  const options = parsed.data;
  const logger = loggerOf(input.logger);
  const baseUrl = trimmed(options.baseUrl);
  const legacyBaseUrl = trimmed(options.legacyBaseUrl ?? options.baseUrl);
  const secrets = secretsOf(options.secret, input.storage?.beside, logger);
  const plans = mergePlans(input.plans);
  const defaultPlan = options.defaultPlan ?? "unlimited";
  if (!plans.has(defaultPlan))
    throw new TypeError(`[form-backend] option \`defaultPlan\`: there is no plan "${defaultPlan}"`);

  const languages = createLanguages(options.locales ?? [], options.language ?? "en");
  const { language = "en" } = options;
  if (!languages.tags.includes(language)) {
    throw new TypeError(
      `[form-backend] option \`language\`: "${language}" is not among \`locales\`; loaded are ${languages.tags.join(", ")}`,
    );
  }

  const from = parseMailbox(options.from ?? `no-reply@${new URL(baseUrl).hostname}`) ?? {
    name: "",
    address: "no-reply@localhost.invalid",
  };

  return {
    baseUrl,
    basePath: pathOf(baseUrl),
    legacyBaseUrl,
    legacyBasePath: pathOf(legacyBaseUrl),
    get secrets() {
      return secrets();
    },
    encryption: input.encryption,
    from,
    senderDomains: new Set(options.senderDomains?.map((domain) => domainToASCII(domain)) ?? [domainOf(from.address)]),
    confirmRecipients: options.confirmRecipients ?? false,
    plans,
    defaultPlan,
    dialects: new Set(options.dialects),
    languages,
    brand: {
      name: options.brand?.name ?? "Form Backend",
      keyPrefix: options.brand?.keyPrefix ?? "fb_live_",
      signatureHeader: options.brand?.signatureHeader ?? "X-Service-Signature",
      userAgent: options.brand?.userAgent ?? "FormBackend-Webhooks/1",
      supportUrl: options.brand?.supportUrl ?? "",
    },
    oauth: input.oauth,
    authenticate: options.authenticate,
    rateLimit: resolveRates(input.rateLimit),
    trustProxy: options.trustProxy ?? false,
    trustRequestId: options.trustRequestId ?? false,
    country: input.country,
    captcha: { verifyUrl: input.captcha?.verifyUrl ?? {}, timeoutMs: input.captcha?.timeoutMs ?? 5_000 },
    spam: { checks: input.spam?.checks ?? [] },
    files: resolveFiles(options.files as FilesOptions | undefined),
    webhooks: {
      allowHttp: options.webhooks?.allowHttp ?? false,
      allowCidrs: options.webhooks?.allowCidrs ?? [],
      timeoutMs: options.webhooks?.timeoutMs ?? 15_000,
      concurrency: options.webhooks?.concurrency ?? 64,
      perWebhook: options.webhooks?.perWebhook ?? 8,
    },
    cors: { management: options.cors?.management ?? [] },
    work: options.work ?? true,
    verify: options.verify ?? true,
    clock: options.clock ?? systemClock,
    logger,
  };
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, "");
