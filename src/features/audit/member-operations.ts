import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { planOf } from "../teams/service.ts";
import { keep } from "./keep.ts";
import { exportAudit, listAudit, recentActors } from "./list.ts";

const Text = z.string().max(200).default("");
const Day = z.union([z.literal(""), z.iso.date()]).default("");
const filter = { action: Text, user: Text, form: Text, from: Day, to: Day };

/** The audit of the inbox. */
export const auditOperations = {
  /** A page of the audit of a team, newest first, the people of its newest entries, and the days for which its plan keeps an entry. */
  listAudit: memberOperation({
    team: "whole",
    scopes: [],
    admin: true,
    body: z.strictObject({ ...filter, cursor: z.string().nullable() }),
    handler: async ({ core, caller, team: { id, value }, body: { cursor, ...filter } }) => ({
      ...(await listAudit(core, caller, id, filter, cursor)),
      people: await recentActors(core, id),
      team: { id, name: value.name, audit_days: planOf(core, value).audit_days },
    }),
  }),
  /** All entries that match, as a file, oldest first. */
  exportAudit: memberOperation({
    team: "whole",
    scopes: [],
    admin: true,
    body: z.strictObject({ ...filter, format: z.enum(["csv", "ndjson"]) }),
    redacts: true,
    handler: async ({ core, caller, team, body: { format, ...filter }, signal }) =>
      exportAudit(core, caller, team.id, filter, format, signal),
    audit: { action: "export_audit", ids: () => [] },
  }),
  /** Keeps what the person did. It is not refused: what was done can't be undone for want of a note. */
  keepAction: memberOperation({
    scopes: [],
    body: z.strictObject({
      action: z.string(),
      user: z.strictObject({ id: z.string(), name: z.string() }),
      actor: z.enum(["person", "key"]),
      team_id: z.string(),
      form_id: z.string().nullable(),
      ids: z.array(z.string()),
      at: z.string(),
    }),
    handler: ({ core, body }) => keep(core, { ...body, via: "inbox" }),
  }),
};
