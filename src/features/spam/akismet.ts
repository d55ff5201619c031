import { ofetch } from "ofetch";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { iso } from "../../lib/clock.ts";
import type { CheckedSubmission, SpamCheck } from "../../model/spam-check.ts";

const COMMENT_CHECK = "https://rest.akismet.com/1.1/comment-check";

export interface AkismetOptions {
  /** The API key of an Akismet account. */
  readonly apiKey: string;
  /** The home page of the website that the forms belong to, a full URL. */
  readonly blog: string;
  /** Default: Akismet's own endpoint. */
  readonly url?: string;
  /** From name look-up to the last byte, in ms. Default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * A spam check that asks Akismet. It has no opinion on a submission without an address, which Akismet requires.
 * Throws a TypeError where an option is missing. While Akismet cannot be reached, or refuses the key, it throws, which is logged and counts as no opinion.
 *
 * @example
 * createFormBackend({ baseUrl, spam: { checks: [akismetCheck({ apiKey: process.env.AKISMET_KEY, blog: "https://example.com" })] } });
 */
export function akismetCheck(options: AkismetOptions): SpamCheck {
  const { apiKey, blog, url = COMMENT_CHECK, timeoutMs = 5_000 } = options ?? {};
  if (typeof apiKey !== "string" || apiKey === "")
    throw new TypeError(
      "[form-backend] akismetCheck: option `apiKey` is missing; set it to your Akismet account's key",
    );
  if (typeof blog !== "string" || !/^https?:/.test(blog) || !canParseUrl(blog))
    throw new TypeError(
      "[form-backend] akismetCheck: option `blog` must be the URL of your home page, such as https://example.com",
    );
  return async function akismet(submission) {
    if (submission.ip === null) return null;
    const response = await ofetch.raw(url, {
      method: "POST",
      headers: { "user-agent": "form-backend/1 | form-backend/1" },
      body: new URLSearchParams({ api_key: apiKey, blog, ...commentOf(submission, submission.ip) }),
      signal: AbortSignal.timeout(timeoutMs),
      responseType: "text",
      ignoreResponseError: true,
      redirect: "error",
      retry: 0,
    });
    const answer = response._data?.trim();
    if (answer === "false") return { check: "akismet", spam: false };
    if (answer === "true") {
      const surely = response.headers.get("x-akismet-pro-tip") === "discard";
      return { check: "akismet", spam: true, ...(surely && { score: 1, reason: "discard" }) };
    }
    // Not in its words, which may repeat the post.
    throw new Error(
      `[form-backend] akismetCheck: Akismet answered HTTP ${response.status} without a verdict; check \`apiKey\` and \`blog\``,
    );
  };
}

/** The submission in Akismet's terms; data without a term is added to the content, because more data improves the verdict. */
function commentOf({ fields, created_at, user_agent, referer }: CheckedSubmission, ip: string): Record<string, string> {
  const named = new Map<string, string>();
  const rest: string[] = [];
  for (const { key, value } of fields) {
    const word = wordOf(key);
    if (word && !named.has(word)) named.set(word, value);
    else if (value.trim() !== "")
      rest.push(word || /^(message|comments?|text|body)$/i.test(key) ? value : `${key}: ${value}`);
  }
  return {
    user_ip: ip,
    ...(user_agent && { user_agent }),
    ...(referer && { referrer: referer, permalink: referer }),
    comment_type: "contact-form",
    ...Object.fromEntries(named),
    comment_content: rest.join("\n"),
    comment_date_gmt: iso(Date.parse(created_at)),
    blog_charset: "UTF-8",
  };
}

function wordOf(key: string): string | null {
  if (/^((your|full)[-_ ]?)?name$/i.test(key)) return "comment_author";
  if (/^(your[-_ ]?)?e-?mail$/i.test(key)) return "comment_author_email";
  return /^(url|website|homepage)$/i.test(key) ? "comment_author_url" : null;
}
