import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import { takeHourly } from "../../core/rates/hourly.ts";
import { ApiError } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import { type EmailServer, EmailServerCreate, EmailServerPatch } from "../../model/email-servers.ts";
import { createServer, deleteServer, getServer, listServers, testServer, updateServer } from "./service.ts";

/** Connections to email servers that a team may try in an hour: without a limit, a page would knock at ports of the whole Internet. */
const MOST_CONNECTIONS = 30;

const own = { team: "whole", scopes: [], right: "email_servers" } as const;
const ServerId = z.strictObject({ id: z.string() });
const named = ({ id }: { readonly id: string }): string[] => [id];

/** The email servers of a team. */
export const emailServerOperations = {
  /** The servers of a team, oldest first. */
  listServers: memberOperation({
    ...own,
    handler: ({ core, team }) => listServers(core, { team_id: team.id }),
  }),
  /** A server of a team. */
  retrieveServer: memberOperation({
    ...own,
    body: ServerId,
    handler: ({ core, team, body }) => serverOf(core, team.id, body.id),
  }),
  /** Adds a server, after a test. */
  createServer: memberOperation({
    ...own,
    body: EmailServerCreate.omit({ team_id: true }),
    async handler({ core, team, body }) {
      await takeConnection(core, team.id);
      return createServer(core, { ...body, team_id: team.id });
    },
    audit: { action: "create_email_server", ids: named },
  }),
  /** Changes a server, after a test if the connection changes. */
  updateServer: memberOperation({
    ...own,
    body: z.strictObject({ id: z.string(), patch: EmailServerPatch }),
    async handler({ core, team, body: { id, patch } }) {
      await serverOf(core, team.id, id);
      await takeConnection(core, team.id);
      return updateServer(core, id, patch);
    },
    audit: { action: "update_email_server", ids: named },
  }),
  /** Connects to a server and logs in. */
  testServer: memberOperation({
    ...own,
    body: ServerId,
    async handler({ core, team, body: { id } }) {
      await serverOf(core, team.id, id);
      await takeConnection(core, team.id);
      await testServer(core, id);
      return { id };
    },
    audit: { action: "test_email_server", ids: named },
  }),
  /** Removes a server. */
  deleteServer: memberOperation({
    ...own,
    body: ServerId,
    handler: async ({ core, team, body }) => deleteServer(core, (await serverOf(core, team.id, body.id)).id),
    audit: { action: "delete_email_server", ids: named },
  }),
  /** The servers that a form can send with: enough to choose one. */
  nameServers: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    handler: async ({ core, form }) =>
      (await listServers(core, { team_id: form.value.team_id })).map(({ id, name }) => ({ id, name })),
  }),
};

/** A server of the team. Throws `not_found`, also for another team's. */
async function serverOf(core: Core, team_id: string, id: string): Promise<EmailServer> {
  const server = await getServer(core, id);
  if (server.team_id !== team_id) throw new ApiError("not_found");
  return server;
}

/** Counts one try, over the whole installation. Throws `rate_limited`. */
async function takeConnection(core: Core, team_id: string): Promise<void> {
  const count = { mark: `connections:${team_id}`, most: MOST_CONNECTIONS } as const;
  const until = await takeHourly(core, [count], prefixedId("srv"));
  if (until === null) return;
  const seconds = Math.max(1, Math.ceil((until - core.clock.now()) / 1_000));
  throw new ApiError("rate_limited", {
    message: `At most ${MOST_CONNECTIONS} connections to email servers an hour can be tested for a team.`,
    headers: { "retry-after": String(seconds) },
  });
}
