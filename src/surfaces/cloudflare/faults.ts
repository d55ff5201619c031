/** Answers with the sentence that says which line to change: a Worker that is set up wrongly serves nobody yet. */
export const faultResponse = (fault: string): Response =>
  new Response(`${fault}\n`, {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });

/** Why this runtime can't run the backend, by what its compatibility date leaves out, or null. */
export function runtimeFault(): string | null {
  const buffer = typeof Buffer === "function" && typeof setImmediate === "function";
  if (!buffer) {
    return '[form-backend] the Worker runs without Node\'s modules; in wrangler.jsonc, add "compatibility_flags": ["nodejs_compat"]';
  }
  if (typeof AbortSignal.any !== "function" || typeof process.getBuiltinModule !== "function") {
    return '[form-backend] the compatibility date is too old; in wrangler.jsonc, set "compatibility_date" to "2025-09-15" or later';
  }
  return null;
}
