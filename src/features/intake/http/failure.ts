import { mediaType } from "../../../core/http/body.ts";
import { toVisitorError } from "../../../core/http/envelope.ts";
import type { Exchange } from "../../../core/http/route.ts";
import { wantsJson } from "../../../core/http/wants-json.ts";
import type { FormRecord } from "../../../model/form-record.ts";
import { facingKnown } from "../../teams/face.ts";
import { wordsFor } from "../language.ts";
import { pageOf } from "../origin.ts";
import { failure } from "../respond.ts";

/** The response to a failed request below a form's address other than a post. */
export function publicFailure(
  thrown: unknown,
  { core, request, requestId }: Exchange,
  form: FormRecord | null,
  json = wantsJson(request.headers, mediaType(request)),
): Response {
  const face = (form && facingKnown(core, form.team_id)) ?? core;
  const error = toVisitorError(thrown, requestId, core.options.logger);
  return failure(error, {
    words: wordsFor(core, form, undefined, request.headers.get("accept-language")),
    json,
    form: null,
    look: face.options.look,
    requestId,
    endpoint: core.options.baseUrl,
    fields: [],
    steering: [],
    files: [],
    whole: true,
    page: pageOf(request.headers),
    targets: [],
    dialect: null,
  });
}
