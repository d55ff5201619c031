import type { Core } from "../../core/core.ts";
import { adoptSecret } from "../../core/processes.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { type Seal, SealError } from "../../lib/seal.ts";
import type { EmailServerRecord } from "../../model/email-servers.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { changeForm } from "./change.ts";

/**
 * The number of re-encrypted records, and of those that could not be, because none of the secrets opens them or they can't be
 * read.
 */
export interface Resealed {
  /** Secrets that are now stored under the current `secret`. */
  resealed: number;
  /** Secrets that still need an older one. */
  left: number;
}

/** Options of `secrets.reseal`. */
export interface ResealOptions {
  /** Called for each form and each email server, with the number of those so far. What it throws ends the work. */
  onProgress?: (seen: number) => void;
}

/**
 * Re-encrypts everything that another secret than the first one sealed, so that you can remove the others from the option
 * `secret`. Changes that happen meanwhile are kept. Values that no secret opens stay as they are and are named in the log.
 */
export async function reseal(core: Core, { onProgress }: ResealOptions = {}): Promise<Resealed> {
  const result: Resealed = { resealed: 0, left: 0 };
  let seen = 0;
  const attempt = async (what: string, change: () => Promise<boolean>): Promise<void> => {
    onProgress?.(++seen);
    try {
      if (await change()) result.resealed++;
    } catch (error) {
      // Deleted on the way.
      if (error instanceof ApiError && (error.code === "form_not_found" || error.code === "not_found")) return;
      if (!(error instanceof SealError)) throw error;
      result.left++;
      core.options.logger.error(`${what} can't be encrypted again: ${error.message}`);
    }
  };
  const unreadable = (): void => void result.left++;
  for await (const rows of core.rows.walk("forms", { index: "all", unreadable })) {
    for (const row of rows) await attempt(`form ${row.id}`, () => resealForm(core, row));
  }
  for await (const rows of core.rows.walk("email_servers", { index: "all", unreadable })) {
    for (const row of rows) await attempt(`email server ${row.id}`, () => resealServer(core, row));
  }
  await adoptSecret(core);
  return result;
}

async function resealForm(core: Core, row: Stored<FormRecord>): Promise<boolean> {
  const { changed } = await changeForm(core, row, async ({ value }) => {
    const { captcha } = value.spam;
    const secret = await anew(core.seal, captcha.secret);
    const webhooks = [];
    for (const webhook of value.webhooks) {
      const { sealed_url, sealed_config, secrets } = webhook;
      webhooks.push({
        ...webhook,
        ...(sealed_url !== undefined && { sealed_url: await anew(core.seal, sealed_url) }),
        ...(sealed_config !== undefined && { sealed_config: await anew(core.seal, sealed_config) }),
        secrets: await Promise.all(
          secrets.map(async (kept) => ({ ...kept, sealed: await anew(core.seal, kept.sealed) })),
        ),
      });
    }
    const unique_key = await anew(core.seal, value.unique_key);
    const next: FormRecord = {
      ...value,
      webhooks,
      unique_key,
      spam: { ...value.spam, captcha: { ...captcha, secret } },
    };
    return sealedOf(next).every((text, i) => text === sealedOf(value)[i]) ? null : { value: next };
  });
  return changed;
}

/** Every sealed text of a form, in one order. */
const sealedOf = ({ spam, webhooks, unique_key }: FormRecord): (string | undefined)[] => [
  spam.captcha.secret,
  unique_key,
  ...webhooks.flatMap(({ sealed_url, sealed_config, secrets }) => [
    sealed_url,
    sealed_config,
    ...secrets.map(({ sealed }) => sealed),
  ]),
];

async function resealServer(core: Core, { id, value }: Stored<EmailServerRecord>): Promise<boolean> {
  if ((await anew(core.seal, value.password)) === value.password) return false;
  const missing = (): ApiError => new ApiError("not_found");
  await core.rows.update(
    "email_servers",
    id,
    async (now) => ({ ...now, password: await anew(core.seal, now.password) }),
    missing,
  );
  return true;
}

/** The same text under the first secret; unchanged if it already is, or if it is empty. */
async function anew(seal: Seal, sealed: string): Promise<string> {
  return sealed === "" || seal.isCurrent(sealed) ? sealed : seal.seal(await seal.open(sealed));
}
