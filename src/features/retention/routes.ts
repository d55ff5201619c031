import { route } from "../../core/http/route.ts";
import { dataHeaders } from "../../lib/response.ts";
import { DataSubject, DataSubjectExport, ErasureReceipt, HostDataSubject } from "../../model/data-subjects.ts";
import { eraseSubject, exportSubject } from "./data-subjects.ts";
import { inTeam } from "./deliveries.ts";

export const dataSubjectRoutes = {
  exportDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/export",
    call: "dataSubjects.export",
    summary: "Export a person's data",
    tag: "Data subjects",
    scopes: ["submissions:read"],
    body: DataSubject,
    host: { body: HostDataSubject },
    response: DataSubjectExport,
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, body, signal }) => {
      const subject = await inTeam(core, caller, body);
      return new Response(exportSubject(core, caller, subject, signal), { headers: dataHeaders });
    },
  }),
  eraseDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/erase",
    call: "dataSubjects.erase",
    summary: "Erase a person's data",
    tag: "Data subjects",
    scopes: ["submissions:write"],
    body: DataSubject,
    host: { body: HostDataSubject },
    response: ErasureReceipt,
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, body }) => eraseSubject(core, caller, await inTeam(core, caller, body)),
  }),
};
