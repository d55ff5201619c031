import type { Core } from "../../core/core.ts";
import { traceOf } from "../../lib/message.ts";

/** The visitor's country as the host's proxy or look-up names it: two upper-case letters, or null. Never rejects. */
export async function countryOf({ options }: Core, ip: string | null, headers: Headers): Promise<string | null> {
  const { country, logger } = options;
  if (country === undefined) return null;
  try {
    const named = typeof country === "string" ? headers.get(country) : await country(ip, headers);
    const code = typeof named === "string" ? named.trim().toUpperCase() : "";
    // XX and ZZ are how proxies write that they do not know.
    return /^[A-Z]{2}$/.test(code) && code !== "XX" && code !== "ZZ" ? code : null;
  } catch (error) {
    logger.error(`the option \`country\` failed: ${traceOf(error)}`);
    return null;
  }
}
