import type { JSONWebKeySet, JWTPayload } from "jose";
import { z } from "zod";
import type { Scope } from "../../model/keys.ts";

/** The rights that a token's claims give. */
export interface TokenGrant {
  /** Default: the claim `team_ids`. */
  team_ids?: string[];
  /** Default: the claim `scope` or `scp`; names that are no scopes of ours are ignored. */
  scopes?: Scope[] | "all";
}

/** The option `oauth`. */
export interface OAuthOptions {
  /** The issuer, exactly as in the `iss` claim of tokens. */
  issuer: string;
  /** The required audience of tokens: the address of this API in the authorization server. */
  audience: string | string[];
  /** The issuer's keys or their URL. Default: from the metadata of the issuer. */
  jwks?: string | URL | JSONWebKeySet;
  /** Returns the teams and scopes of a verified token. */
  claims?: (payload: JWTPayload) => TokenGrant | Promise<TokenGrant>;
}

const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });
const isKeySet = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, "keys"));

export const OAuthSchema = z.strictObject({
  issuer: HttpUrl,
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], "must be a string or a list of strings"),
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
