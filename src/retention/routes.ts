import { route } from "../http/route.ts";
import { dataHeaders } from "../lib/response.ts";
import { eraseSubject, exportSubject } from "./data-subjects.ts";
import { DataSubject, DataSubjectExport, ErasureReceipt } from "./schema.ts";

export const dataSubjectRoutes = {
  exportDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/export",
    summary: "Export a person's data",
    tag: "Data subjects",
    scopes: ["submissions:read"],
    body: DataSubject,
    response: DataSubjectExport,
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, body, signal }) =>
      new Response(exportSubject(core, caller, body, signal), { headers: dataHeaders }),
  }),
  eraseDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/erase",
    summary: "Erase a person's data",
    tag: "Data subjects",
    scopes: ["submissions:write"],
    body: DataSubject,
    response: ErasureReceipt,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, body }) => eraseSubject(core, caller, body),
  }),
};
