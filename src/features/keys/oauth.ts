import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import { z } from "zod";
import type { OAuthOptions } from "../../core/options/oauth.ts";
import { perBackend } from "../../core/per-backend.ts";
import { ApiError } from "../../errors.ts";
import { type Clock, iso } from "../../lib/clock.ts";
import { packages } from "../../lib/packages.ts";
import { type Caller, scopes as knownScopes } from "../../model/keys.ts";
import { createKeySource } from "./key-source.ts";

/** Only key pairs: with an HMAC, anyone who reads the public key set could sign (RS256 confused with HS256). */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
] as NonNullable<JWTVerifyOptions["algorithms"]>;
const TOLERANCE_S = 5;
/** RFC 9068 says `at+jwt`; many issuers say `JWT` or nothing. Tokens made for another purpose say which. */
const TYPES = new Set(["jwt", "at+jwt", "application/at+jwt"]);

export interface TokenVerifier {
  /** The caller of an access token; `audience` is one more that it may be for. Throws `invalid_key`, `wrong_audience`; `unavailable` if the issuer's keys can't be loaded. */
  callerOf(token: string, audience?: string): Promise<Caller>;
}

const Strings = z.array(z.unknown()).transform((list) => list.filter((entry) => typeof entry === "string"));
const Grant = z.object({
  team_ids: z.array(z.string()).optional(),
  scopes: z.union([z.literal("all"), z.array(z.string())]).optional(),
});

/** Verifies access tokens that are JWTs: signature, issuer and time first, and only of a genuine token its audience. */
export function createTokenVerifier(
  options: OAuthOptions,
  clock: Clock,
  warn: (message: string) => void,
): TokenVerifier {
  const getKey = createKeySource(options, warn);
  const audiences = [options.audience].flat();
  return {
    async callerOf(token, audience) {
      const payload = await verified(token, getKey, {
        issuer: options.issuer,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp"],
      });
      if (![payload.aud ?? []].flat().some((one) => audiences.includes(one) || one === audience)) {
        throw new ApiError("wrong_audience");
      }
      const { team_ids, scopes } = await granted(payload, options.claims);
      return {
        auth: "oauth",
        id: subjectOf(payload),
        team_ids: [...new Set(team_ids)],
        scopes: scopes === "all" ? scopes : knownScopes.filter((scope) => scopes.includes(scope)),
        form_ids: null,
        expires_at: iso((payload.exp as number) * 1_000),
      };
    },
  };
}

async function verified(token: string, getKey: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await verifyWithAnyKey(token, getKey, options);
    if (protectedHeader.typ === undefined || TYPES.has(protectedHeader.typ.toLowerCase())) return payload;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("invalid_key", { cause: error });
  }
  throw new ApiError("invalid_key", { message: "The token is not an access token." });
}

/** A token without `kid` may fit several keys of its issuer. */
async function verifyWithAnyKey(token: string, getKey: JWTVerifyGetKey, options: JWTVerifyOptions) {
  const { errors, jwtVerify } = await packages.jose();
  try {
    return await jwtVerify(token, getKey, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (fault) {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
      }
    }
    throw error;
  }
}

/** Teams and scopes of a verified token. Throws a TypeError if the host's own mapping returns something else. */
async function granted(
  payload: JWTPayload,
  claims: OAuthOptions["claims"],
): Promise<{ team_ids: string[]; scopes: readonly string[] | "all" }> {
  const mapped = Grant.safeParse((await claims?.(payload)) ?? {});
  if (!mapped.success) {
    const [issue] = mapped.error.issues;
    throw new TypeError(
      `[form-backend] option \`oauth.claims\` returned an invalid \`${issue?.path.join(".")}\`: ${issue?.message}`,
    );
  }
  return {
    team_ids: mapped.data.team_ids ?? Strings.catch([]).parse([payload["team_ids"]].flat()),
    scopes: mapped.data.scopes ?? words(payload["scope"] ?? payload["scp"]),
  };
}

const words = (claim: unknown): string[] =>
  typeof claim === "string" ? claim.split(" ") : Strings.catch([]).parse(claim ?? []);

/** Key for rate limits: the client together with its user. */
function subjectOf({ client_id, azp, sub, iss }: JWTPayload): string {
  const parts = [client_id ?? azp, sub].filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join(":") : String(iss);
}

/** The verifier of one backend; null where OAuth is not configured. */
export const tokenVerifierOf = perBackend(({ options, clock }) =>
  options.oauth ? createTokenVerifier(options.oauth, clock, (message) => options.logger.warn(message)) : null,
);
