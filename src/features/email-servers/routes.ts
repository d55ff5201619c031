import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { EmailServer } from "../../model/email-servers.ts";
import { listUsableServers } from "./service.ts";

/** The email servers that forms can send with: enough to choose one, and nothing of its login. */
export const EmailServerNames = z
  .object({
    /** The servers, oldest first. */
    data: z.array(EmailServer.pick({ id: true, name: true, from: true }).meta({ id: "EmailServerName" })),
  })
  .meta({ id: "EmailServerNames" });

export const emailServerRoutes = {
  listEmailServers: route({
    method: "GET",
    path: "/v1/email-servers",
    summary: "List email servers",
    tag: "Email servers",
    scopes: ["forms:read"],
    response: EmailServerNames,
    errors: [],
    handler: async ({ core, caller }) => ({ data: await listUsableServers(core, caller) }),
  }),
};
