import { route } from "../http/route.ts";
import { eraseSubject, exportSubject } from "./data-subjects.ts";
import { DataSubject, DataSubjectExport, ErasureReceipt } from "./schema.ts";

export const dataSubjectRoutes = {
  exportDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/export",
    summary: "Export what is held of a person",
    tag: "Data subjects",
    scopes: ["submissions:read"],
    body: DataSubject,
    response: DataSubjectExport,
    errors: [],
    handler: ({ core, caller, body }) => exportSubject(core, caller, body),
  }),
  eraseDataSubject: route({
    method: "POST",
    path: "/v1/data-subjects/erase",
    summary: "Erase what is held of a person",
    tag: "Data subjects",
    scopes: ["submissions:write"],
    body: DataSubject,
    response: ErasureReceipt,
    errors: [],
    handler: ({ core, caller, body }) => eraseSubject(core, caller, body),
  }),
};
