import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { FormId } from "../../model/forms.ts";
import { Statistics, StatisticsQuery } from "../../model/statistics.ts";
import { statisticsOf } from "./statistics.ts";

export const statisticsRoutes = {
  retrieveStatistics: route({
    method: "GET",
    path: "/v1/forms/:form_id/statistics",
    call: "forms.statistics",
    form: "live",
    summary: "Retrieve statistics",
    tag: "Forms",
    scopes: ["submissions:read"],
    params: z.object({ form_id: FormId }),
    query: StatisticsQuery,
    response: Statistics,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, form, query }) => statisticsOf(core, caller, form, query),
  }),
};
