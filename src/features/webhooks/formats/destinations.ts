import { type Late, late } from "../../../lib/late.ts";
import type { DestinationFormat } from "../../../model/destinations.ts";
import type { Destination } from "./types.ts";

/** Loaded when a webhook needs it, so that a host without destinations loads none. */
const destinations: Readonly<Record<DestinationFormat, Late<Destination>>> = {
  http: late(async () => (await import("./http.ts")).http),
};

export const loadDestination = (format: DestinationFormat): Promise<Destination> => destinations[format].load();
