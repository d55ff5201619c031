import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { ApiError } from "../../errors.ts";

/** Uploads at once from one address. Rates count beginnings, and an upload may take as long as its bytes are many. */
const PER_ADDRESS = 64;
/** Uploads at once in this process: each needs a connection, and a file or a request to the blob store. */
const IN_PROCESS = 1_024;

interface Places {
  taken: number;
  readonly byAddress: Map<string, number>;
}

const placesOf = perBackend((): Places => ({ taken: 0, byAddress: new Map() }));

/**
 * Reserves an upload slot for an address key (null = unknown). Returns a function that releases it; call it once. Throws
 * `rate_limited` if the address has too many uploads, `unavailable` if the process has.
 */
export function enterUpload(core: Core, address: string | null): () => void {
  const places = placesOf(core);
  const mine = address === null ? 0 : (places.byAddress.get(address) ?? 0);
  const headers = { "retry-after": "5" };
  if (mine >= PER_ADDRESS) {
    throw new ApiError("rate_limited", {
      message: `${PER_ADDRESS} uploads from your address are running; wait until one of them has finished.`,
      headers,
    });
  }
  if (places.taken >= IN_PROCESS) throw new ApiError("unavailable", { headers });
  places.taken++;
  if (address !== null) places.byAddress.set(address, mine + 1);
  return () => {
    places.taken--;
    if (address === null) return;
    const left = (places.byAddress.get(address) ?? 1) - 1;
    if (left > 0) places.byAddress.set(address, left);
    else places.byAddress.delete(address);
  };
}
