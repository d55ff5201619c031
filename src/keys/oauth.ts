import {
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { z } from "zod";
import { ApiError } from "../errors.ts";
import { type Clock, iso } from "../lib/clock.ts";
import { createKeySource } from "./key-source.ts";
import { type Caller, scopes as knownScopes, type Scope } from "./schema.ts";

/** Signatures by a key pair only: with an HMAC, whoever reads the public key set could sign (RS256 taken for HS256). */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
] as NonNullable<JWTVerifyOptions["algorithms"]>;
const TOLERANCE_S = 5;
/** RFC 9068 says `at+jwt`; many issuers say `JWT` or nothing. Tokens made for another purpose say which. */
const TYPES = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** What a token's claims are worth here. */
export interface TokenGrant {
  /** Default: the claim `team_ids`. */
  team_ids?: string[];
  /** Default: the claim `scope` or `scp`; names that are no scopes of ours are ignored. */
  scopes?: Scope[] | "all";
}

/** The option `oauth`. */
export interface OAuthOptions {
  /** Exactly as tokens name it in `iss`. */
  issuer: string;
  /** What a token must be issued for: the address of this API as the authorization server knows it. */
  audience: string | string[];
  /** The issuer's keys or their URL. Default: as the issuer's metadata says. */
  jwks?: string | URL | JSONWebKeySet;
  /** Says which teams and scopes a verified token covers. */
  claims?: (payload: JWTPayload) => TokenGrant | Promise<TokenGrant>;
}

const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });
const isKeySet = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, "keys"));

export const OAuthSchema = z.strictObject({
  issuer: HttpUrl,
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], "must be a text or a list of texts"),
  jwks: z
    .union(
      [HttpUrl, z.instanceof(URL), z.custom<JSONWebKeySet>(isKeySet)],
      "must be an http(s) URL or a JSON Web Key Set",
    )
    .optional(),
  claims: z
    .custom<NonNullable<OAuthOptions["claims"]>>((value) => typeof value === "function", "must be a function")
    .optional(),
});

export interface TokenVerifier {
  /** The caller behind an access token. Throws `invalid_key`, `wrong_audience`; `unavailable` when the issuer's keys can't be had. */
  callerOf(token: string): Promise<Caller>;
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
    async callerOf(token) {
      const payload = await verified(token, getKey, {
        issuer: options.issuer,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp"],
      });
      if (![payload.aud ?? []].flat().some((audience) => audiences.includes(audience))) {
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

/** Teams and scopes of a verified token. Throws a TypeError where the host's own mapping answers something else. */
async function granted(
  payload: JWTPayload,
  claims: OAuthOptions["claims"],
): Promise<{ team_ids: string[]; scopes: readonly string[] | "all" }> {
  const mapped = Grant.safeParse((await claims?.(payload)) ?? {});
  if (!mapped.success) {
    const [issue] = mapped.error.issues;
    throw new TypeError(
      `[form-backend] option \`oauth.claims\` answered wrong \`${issue?.path.join(".")}\`: ${issue?.message}`,
    );
  }
  return {
    team_ids: mapped.data.team_ids ?? Strings.catch([]).parse([payload["team_ids"]].flat()),
    scopes: mapped.data.scopes ?? words(payload["scope"] ?? payload["scp"]),
  };
}

const words = (claim: unknown): string[] =>
  typeof claim === "string" ? claim.split(" ") : Strings.catch([]).parse(claim ?? []);

/** What rates are counted by: the client together with whom it acts for. */
function subjectOf({ client_id, azp, sub, iss }: JWTPayload): string {
  const parts = [client_id ?? azp, sub].filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join(":") : String(iss);
}
