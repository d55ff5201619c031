import type { Inbound } from "../../src/core/options/inbound.ts";
import type { Received } from "../../src/model/inbound.ts";

/** A mail service whose requests are what they say. */
export const inbound: Inbound = {
  domain: "in.example.com",
  providers: [
    {
      name: "simulated",
      stops: 200,
      receive: async ({ body }) => JSON.parse(Buffer.from(body).toString()) as Received,
    },
  ],
};
