import { exportOfHost, pageOfAudit } from "../../../features/audit/list.ts";
import type { AuditExportQuery, AuditList, AuditListQuery } from "../../../model/audit.ts";
import type { HostCalls } from "./call.ts";

/** Who did what: in the inbox, by keys, over MCP, by the command line and in process. Posts of visitors are not in it. */
export interface AuditApi {
  /**
   * Returns a page of the audit of a team, newest first: `{ data, has_more, next_cursor }`. Each entry says when, what, by which way
   * and who: a person, a key, a token or the host. `team_id` is required as soon as there are several teams. Entries are kept for the
   * plan's `audit_days`.
   *
   * @throws `invalid_parameter`, `not_found`
   * @example
   * const { data } = await backend.audit.list({ team_id: "acme", action: "delete_form" });
   */
  list(query?: AuditListQuery): Promise<AuditList>;
  /**
   * Returns all entries that match as a stream, oldest first: a JSON object a line, or a table with `format: "csv"`. Cancel the
   * stream if you don't read all of it.
   *
   * @throws `invalid_parameter`, `not_found`, `scan_concurrency`
   * @example
   * const text = await new Response(await backend.audit.export({ team_id: "acme", format: "csv" })).text();
   */
  export(query?: AuditExportQuery): Promise<ReadableStream<Uint8Array>>;
}

/** The audit, for the host. */
export const auditApi = ({ own }: Pick<HostCalls, "own">): AuditApi => ({
  list: own(pageOfAudit),
  export: own(exportOfHost, (_, { team_id } = {}) => ({ action: "export_audit", ...(team_id && { team_id }) })),
});
