/**
 * Packages that neither the start nor most requests need, loaded at first use. `loadPackages` loads them all in the background
 * once a backend is ready: if a deploy replaces `node_modules` under a running process, nothing fails later.
 */
export const packages = {
  h3: () => import("h3-v2"),
  srvx: () => import("srvx"),
  jose: () => import("jose"),
  fileType: () => import("file-type/core"),
  ofetch: () => import("ofetch"),
  re2js: () => import("re2js"),
  altcha: () => import("altcha-lib"),
  pbkdf2: () => import("altcha-lib/algorithms/pbkdf2"),
  htmlparser: () => import("htmlparser2"),
  busboy: () => import("@fastify/busboy"),
  // By their own files, or those of a dozen stores would come along.
  memoryRates: () => import("rate-limiter-flexible/lib/RateLimiterMemory.js"),
  redisRates: () => import("rate-limiter-flexible/lib/RateLimiterRedis.js"),
  poolRates: () => import("rate-limiter-flexible/lib/RateLimiterPostgres.js"),
} as const;

/**
 * One after the other, so requests continue in between, until `isOver`; then `more`, files of our own that are loaded at first
 * use. Never rejects: a missing package gives an error at its use.
 */
export async function loadPackages(
  isOver: () => boolean,
  more: readonly (() => Promise<unknown>)[] = [],
): Promise<void> {
  for (const load of [...Object.values(packages), ...more]) {
    if (isOver()) return;
    await load().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
}
