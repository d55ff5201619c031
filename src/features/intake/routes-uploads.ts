import { readJson } from "../../core/http/json-body.ts";
import { addressKey, addressOf } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { RawRoute } from "../../core/http/route.ts";
import type { Row } from "../../core/rows.ts";
import { jsonResponse } from "../../lib/response.ts";
import { endpointOf } from "../forms/view.ts";
import { limitTeamPost } from "../teams/limits.ts";
import { openForm } from "./accept.ts";
import { prepareUpload } from "./direct.ts";
import { publicFailure } from "./http/failure.ts";
import { assertOrigin, corsHeaders } from "./origin.ts";
import { planOfForm } from "./uploads.ts";

const MAX_BODY = 16 * 1024;

/** Tells a browser where it may put a file, for the pages that may post to the form. */
export const uploadRoutes: readonly RawRoute[] = [
  {
    method: "POST",
    path: "/f/:form_id/uploads",
    unopened: true,
    async handler(exchange, { form_id = "", asked = endpointOf(exchange.core, form_id) }) {
      const { core, request } = exchange;
      let form: Row<"forms"> | null = null;
      try {
        await opened(exchange);
        const address = addressKey(addressOf(exchange));
        if (address !== null) await core.limits.take("uploads", address);
        form = await core.rows.cached("forms", form_id);
        form = await openForm(core, form_id);
        exchange.share.note(form.value.team_id);
        assertOrigin(form.value.allowed_origins, request.headers, asked);
        await limitTeamPost(core, form.value.team_id);
        const body = await readJson(request, MAX_BODY);
        return withCors(jsonResponse(await prepareUpload(core, form, await planOfForm(core, form), body), 201));
      } catch (thrown) {
        return withCors(publicFailure(thrown, exchange, form?.value ?? null, true));
      }

      function withCors(response: Response): Response {
        const origins = form?.value.allowed_origins ?? [];
        for (const [name, value] of Object.entries(corsHeaders(origins, request.headers)))
          response.headers.append(name, value);
        return response;
      }
    },
  },
];
