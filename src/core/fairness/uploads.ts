import { ApiError } from "../../errors.ts";
import type { Core } from "../core.ts";
import { perBackend } from "../per-backend.ts";
import { createSlots } from "./slots.ts";

/** Uploads at once from one address. Rates count beginnings, and an upload may take as long as its bytes are many. */
const PER_ADDRESS = 64;
/** Uploads at once in this process: each needs a connection, and a file or a request to the blob store. */
const IN_PROCESS = 1_024;

const slotsOf = perBackend(createSlots);

/**
 * Reserves an upload slot for an address key (null = unknown). Returns a function that releases it. Throws `rate_limited` if
 * the address has too many uploads, `unavailable` if the process has.
 */
export function enterUpload(core: Core, address: string | null): () => void {
  const slots = slotsOf(core);
  const headers = { "retry-after": "5" };
  const leaveAddress = address === null ? () => {} : slots.take(`of ${address}`, PER_ADDRESS);
  if (!leaveAddress) {
    throw new ApiError("rate_limited", {
      message: `${PER_ADDRESS} uploads from your address are running; wait until one of them has finished.`,
      headers,
    });
  }
  const leave = slots.take("all", IN_PROCESS);
  if (!leave) {
    leaveAddress();
    throw new ApiError("unavailable", { headers });
  }
  return () => {
    leave();
    leaveAddress();
  };
}
