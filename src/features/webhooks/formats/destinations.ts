import { type Late, late } from "../../../lib/late.ts";
import { type DestinationFormat, isService, type ServiceFormat } from "../../../model/destinations.ts";
import type { Service } from "../services/types.ts";
import type { Destination, Settings } from "./types.ts";

/** Loaded when a webhook needs it, so that a host without destinations loads none. */
const http: Late<Destination> = late(async () => (await import("./http.ts")).http);
const services: Readonly<Record<ServiceFormat, Late<Service>>> = {
  google_sheets: late(async () => (await import("../services/google-sheets.ts")).googleSheets),
  airtable: late(async () => (await import("../services/airtable.ts")).airtable),
  notion: late(async () => (await import("../services/notion.ts")).notion),
  mailchimp: late(async () => (await import("../services/mailchimp.ts")).mailchimp),
  hubspot: late(async () => (await import("../services/hubspot.ts")).hubspot),
};

/** A format of one request for each delivery. */
export const loadDestination = (): Promise<Destination> => http.load();

/** A service with calls of its own. */
export const loadService = (format: ServiceFormat): Promise<Service> => services[format].load();

/** The settings of either. */
export const loadSettings = (format: DestinationFormat): Promise<Settings> =>
  isService(format) ? loadService(format) : loadDestination();
