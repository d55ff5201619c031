import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";
import { HOUR_MS } from "../../lib/clock.ts";
import { endpointOf } from "../forms/view.ts";

const LIFE_MS = 24 * HOUR_MS;
/** The token goes into an address, and proxies bound those. */
const MAX_PAGE = 1_000;

/** Epoch ms, the page that the visitor came from, the language that the post itself asked for, and the link for changes. */
type Held = readonly [expiresAt: number, page: string | null, language?: string | null, edit_url?: string];

/** The data for the page of a token. */
interface Thanks {
  readonly page: string | null;
  readonly language: string | undefined;
  /** The address where the sender can change the submission. */
  readonly edit_url: string | null;
}

const signerOf = signerFor("thanks");

/** A stored post, as its thank-you page needs it. */
interface Thanked {
  readonly form_id: string;
  readonly created_at: string;
}

/** What a thank-you page says besides the form's own words. */
interface ThanksPage {
  readonly page: string | null;
  readonly language?: string | undefined;
  readonly edit_url?: string | null;
}

/**
 * The address of the thank-you page after a post, which may be reloaded: nothing is stored for it. Its token tells nothing of the
 * submission and looks the same for spam. It counts from the submission's time, so a repeat of the post gets the same address.
 */
export function thanksUrl(
  core: Core,
  { form_id, created_at }: Thanked,
  { page, language, edit_url = null }: ThanksPage,
): string {
  const back = page !== null && page.length > MAX_PAGE ? new URL(page).origin : page;
  const expiresAt = Date.parse(created_at) + LIFE_MS;
  const held: Held =
    edit_url !== null
      ? [expiresAt, back, language ?? null, edit_url]
      : language
        ? [expiresAt, back, language]
        : [expiresAt, back];
  const payload = Buffer.from(JSON.stringify(held)).toString("base64url");
  return `${endpointOf(core, form_id)}/thanks/${payload}.${signerOf(core).sign(signed(form_id, payload))}`;
}

/**
 * The content of a token: the page the visitor came from, null once it is a day old, and the language. Null for a token of
 * another form or with a wrong signature.
 */
export function readThanks(core: Core, formId: string, token: string): Thanks | null {
  const [payload = "", mac = "", ...more] = token.split(".", 3);
  if (more.length > 0 || !signerOf(core).verify(signed(formId, payload), mac)) return null;
  const [expiresAt, page, language, edit_url = null] = JSON.parse(Buffer.from(payload, "base64url").toString()) as Held;
  const isNew = core.clock.now() < expiresAt;
  return { page: isNew ? page : null, language: language ?? undefined, edit_url: isNew ? edit_url : null };
}

const signed = (formId: string, payload: string): string => JSON.stringify([formId, payload]);
