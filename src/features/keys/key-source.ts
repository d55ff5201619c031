import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { ApiError } from "../../errors.ts";
import { errorMessage } from "../../lib/message.ts";
import { packages } from "../../lib/packages.ts";

const TIMEOUT_MS = 5_000;
const CACHE_MS = 10 * 60_000;
/** An unknown `kid` makes the keys be fetched again, but not more often than this: anybody can make one up. */
const COOLDOWN_MS = 30_000;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** The source of an issuer's keys. */
export interface KeySourceOptions {
  readonly issuer: string;
  /** Default: the URL in the issuer's metadata. */
  readonly jwks?: string | URL | JSONWebKeySet | undefined;
}

/**
 * The issuer's keys, as jose asks for them. Throws `unavailable` when they can't be loaded: an issuer that is down says
 * nothing about a token.
 */
export function createKeySource({ issuer, jwks }: KeySourceOptions, warn: (message: string) => void): JWTVerifyGetKey {
  let source: Promise<JWTVerifyGetKey & { readonly fresh?: boolean }> | undefined;
  return async (header, token) => {
    source ??= open();
    const asked = source;
    let fresh = false;
    try {
      const keys = await asked;
      fresh = keys.fresh ?? false;
      return await keys(header, token);
    } catch (error) {
      const { errors } = await packages.jose();
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      // The next request starts from the metadata again, which may name another place by now; but keys that are still good
      // are kept, or a made-up `kid` could throw them away while the issuer is down.
      if (source === asked && !fresh) source = undefined;
      warn(`the keys of ${issuer} can't be loaded: ${errorMessage(error)}`);
      throw new ApiError("unavailable", {
        message: "The token can't be checked at the moment; try again soon.",
        headers: { "retry-after": "5" },
        cause: error,
      });
    }
  };

  async function open(): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet, createRemoteJWKSet } = await packages.jose();
    if (typeof jwks === "object" && !(jwks instanceof URL)) return createLocalJWKSet(jwks);
    const url = jwks === undefined ? await discover(issuer) : new URL(jwks);
    return createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: CACHE_MS,
      cooldownDuration: COOLDOWN_MS,
    });
  }
}

/** The key set's address from the issuer's metadata: RFC 8414, then OpenID Connect Discovery. */
async function discover(issuer: string): Promise<URL> {
  const faults: string[] = [];
  const { ofetch } = await packages.ofetch();
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = Metadata.parse(
        await ofetch(url, { responseType: "json", timeout: TIMEOUT_MS, retry: 0, redirect: "error" }),
      );
      // RFC 8414 section 3.3: metadata of another issuer must not be used.
      if (metadata.issuer === issuer) return new URL(metadata.jwks_uri);
      faults.push(`${url} is of the issuer ${metadata.issuer}`);
    } catch (error) {
      faults.push(errorMessage(error));
    }
  }
  throw new Error(`no usable metadata (${faults.join("; ")})`);
}

/** RFC 8414 puts its well-known part between host and path, OpenID Connect after the path. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}
