import { packages } from "../../../lib/packages.ts";
import type { ServiceAccount } from "../../../lib/service-account.ts";
import { type Call, type ServiceError, said, textAt } from "./call.ts";
import { pausing, unexpected } from "./faults.ts";

const SCOPE = "https://www.googleapis.com/auth/spreadsheets";
const AUDIENCE = "https://oauth2.googleapis.com/token";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Tokens are good for an hour. */
const KEPT_MS = 50 * 60_000;
const LIFETIME_S = 3_600;
const MAX_KEPT = 1_000;

/** Tokens of service accounts, kept until shortly before they expire. */
export interface GoogleTokens {
  /** Throws `ServiceError`. */
  of(account: ServiceAccount, call: Call): Promise<string>;
  /** Forgets one that was refused. */
  drop(account: ServiceAccount): void;
}

export function createGoogleTokens(tokenUrl: string, now: () => number): GoogleTokens {
  const kept = new Map<string, { readonly token: string; readonly until: number }>();
  const keyOf = ({ client_email, private_key }: ServiceAccount): string => `${client_email}\n${private_key}`;
  return {
    async of(account, call) {
      const key = keyOf(account);
      const known = kept.get(key);
      if (known && known.until > now()) return known.token;
      const assertion = await assertionOf(account, Math.floor(now() / 1_000));
      const reply = await call(tokenUrl, { form: { grant_type: GRANT, assertion } });
      const token = textAt(reply.json, "access_token");
      if (!reply.ok || token === "") throw refusal(account, reply);
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, { token, until: now() + KEPT_MS });
      return token;
    },
    drop: (account) => void kept.delete(keyOf(account)),
  };
}

async function assertionOf({ client_email, private_key }: ServiceAccount, iat: number): Promise<string> {
  const { importPKCS8, SignJWT } = await packages.jose();
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(client_email)
    .setAudience(AUDIENCE)
    .setIssuedAt(iat)
    .setExpirationTime(iat + LIFETIME_S)
    .sign(await importPKCS8(private_key, "RS256"));
}

function refusal({ client_email }: ServiceAccount, reply: Awaited<ReturnType<Call>>): ServiceError {
  const why = textAt(reply.json, "error_description");
  // The clock of this machine is wrong, which no new key mends.
  const isTime = /reasonable timeframe|iat|exp\b/i.test(why);
  const isRefused = reply.status === 400 || reply.status === 401 || reply.status === 403;
  if (isRefused && !isTime) return pausing(reply.status, "google_key_refused", client_email);
  return unexpected("Google", reply, said(why || textAt(reply.json, "error")), "retry");
}
