import { enterUpload } from "../../core/fairness/uploads.ts";
import { bodyStream, mediaType, readBody, UPLOAD_PACE } from "../../core/http/body.ts";
import { toVisitorError } from "../../core/http/envelope.ts";
import { addressKey, addressOf, limitAddress } from "../../core/http/limits.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { parseJson } from "../../lib/json.ts";
import { jsonResponse } from "../../lib/response.ts";
import { visitTurn } from "../../lib/turn.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { titleIn, toldIn } from "../../texts/locales/_told.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { dressed } from "../forms/dressed.ts";
import { type EditLink, readEditLink } from "../mail/edit-link.ts";
import { editPage } from "../pages/edit-page.ts";
import { messagePage } from "../pages/message-page.ts";
import { spoken } from "../pages/page.ts";
import { facing } from "../teams/face.ts";
import { limitTeamPost, mayLimitPosts } from "../teams/limits.ts";
import { countryOf } from "./country.ts";
import { applyEdit, type Editable, type EditResult, type EditState, editState } from "./edit.ts";
import { collectFields } from "./fields.ts";
import { publicFailure } from "./http/failure.ts";
import { REVISION_FIELD } from "./merge-edit.ts";
import { parsePost } from "./parse.ts";
import { openUploads } from "./uploads.ts";

const PATH = "/e/:token";

/** The page on which a sender changes a submission; it posts to its own address. */
export const editRoutes: readonly RawRoute[] = [
  {
    method: "GET",
    path: PATH,
    async handler(exchange, { token = "" }) {
      await limitAddress(exchange);
      const link = readEditLink(exchange.core, token);
      const state = await editState(exchange.core, link);
      if (state.is !== "open") return closed(exchange, state);
      const faced = await facedBy(exchange, state);
      const words = wordsOf(exchange, state);
      const { until } = state;
      return shown(faced, token, state, { note: words.edit.until({ time: words.time(iso(until)) }) });
    },
  },
  {
    method: "POST",
    path: PATH,
    async handler(exchange, { token = "" }) {
      await limitAddress(exchange);
      const link = readEditLink(exchange.core, token);
      const state = await editState(exchange.core, link);
      if (!link || state.is !== "open") return closed(exchange, state);
      return take(await facedBy(exchange, state), token, link, state);
    },
  },
];

/** The exchange in the looks of the submission's team. */
async function facedBy(exchange: Exchange, { form }: Editable): Promise<Exchange> {
  return { ...exchange, core: await facing(exchange.core, form.value.team_id) };
}

async function take(exchange: Exchange, token: string, link: EditLink, state: Editable): Promise<Response> {
  const { core, request, requestId } = exchange;
  const { form } = state;
  const collected = collectFields();
  const uploads = await openUploads(core, form);
  const type = mediaType(request);
  const json = wantsJson(request.headers, type);
  const ip = addressOf(exchange);
  let leave = (): void => {};
  let begins = false;
  try {
    if (type === "multipart/form-data") leave = enterUpload(core, addressKey(ip));
    begins = true;
    const turn = () => visitTurn(form.value.team_id);
    const posted = await parsePost(
      {
        mediaType: type,
        contentType: request.headers.get("content-type") ?? "",
        bytes: (limit) => readBody(request, limit),
        json: parseJson,
        stream: () => bodyStream(request, UPLOAD_PACE, turn),
      },
      collected,
      uploads,
    );
    // Once the body is read, so that a refusal shows what was typed.
    if (mayLimitPosts(core, form.value.team_id)) await limitTeamPost(core, form.value.team_id);
    const visitor = {
      ip,
      country: await countryOf(core, ip, request.headers),
      user_agent: request.headers.get("user-agent")?.slice(0, 1024) ?? null,
      referer: state.row.value.referer,
    };
    return answered(exchange, token, await applyEdit(core, link, posted, visitor), json);
  } catch (thrown) {
    const error = toVisitorError(thrown, requestId, core.options.logger);
    // A page with the stored values would have what was typed replaced by them.
    if (json || !begins) return publicFailure(error, exchange, form.value);
    const words = wordsOf(exchange, state);
    const { message, fields: errors = {} } = toldIn(words, error);
    return shown(exchange, token, state, {
      note:
        Object.keys(errors).length > 0 ? words.errors.validation_failed() : `${titleIn(words, error.code)}. ${message}`,
      status: error.status,
      headers: error.headers,
      errors,
      fields: collected.isWhole() ? collected.done().fields : state.clear.fields,
    });
  } finally {
    leave();
    await uploads.close();
  }
}

function answered(exchange: Exchange, token: string, result: EditResult, json: boolean): Response {
  if (result.is === "stale") {
    const { state } = result;
    const words = wordsOf(exchange, state);
    return shown(exchange, token, state, { note: words.edit.meanwhile(), status: 409 });
  }
  if (result.is !== "done") return closed(exchange, result);
  const words = wordsOf(exchange, result);
  const { done_title, done } = words.edit;
  if (!json) return messagePage({ words, look: exchange.core.options.look, title: done_title(), message: done() });
  const answer = { code: 200, status: "success", title: done_title(), message: done(), submission_id: result.id };
  return jsonResponse(answer, 200, spoken(words));
}

interface Shown {
  readonly note: string;
  /** Default 200; any other tells of a fault. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, { readonly message: string }>>;
  readonly fields?: readonly SubmissionField[];
}

function shown(
  exchange: Exchange,
  token: string,
  state: Editable,
  { note, status = 200, headers = {}, errors = {}, fields = state.clear.fields }: Shown,
): Response {
  const { form, row } = state;
  const counts = new Map<string, number>();
  for (const { key } of row.value.attachments) counts.set(key, (counts.get(key) ?? 0) + 1);
  const { double_opt_in } = form.value.settings;
  return editPage({
    words: wordsOf(exchange, state),
    form: dressed(exchange.core, form.value),
    action: `${exchange.core.options.baseUrl}/e/${token}`,
    fields: fields.filter(({ key }) => key !== REVISION_FIELD),
    files: Array.from(counts, ([key, count]) => ({ key, count })),
    steering: [{ key: REVISION_FIELD, value: String(row.value.changes ?? 0) }],
    fixed: row.value.consent ? double_opt_in.field : null,
    errors,
    note,
    isFault: status >= 400,
    status,
    headers,
  });
}

/** The page of a link that leads to nothing that can be changed. */
function closed(exchange: Exchange, { is }: Exclude<EditState, { is: "open" }> | EditState): Response {
  const { core, request } = exchange;
  const words = core.options.languages.choose({ header: request.headers.get("accept-language") });
  const { edit } = words;
  const said = {
    late: [410, edit.late()],
    off: [403, edit.off()],
    waiting: [403, edit.waiting()],
    unknown: [404, edit.unknown()],
    open: [404, edit.unknown()],
  } as const;
  const [status, message] = said[is];
  if (wantsJson(request.headers, mediaType(request))) {
    const code = status === 403 ? "form_inactive" : "not_found";
    return publicFailure(new ApiError(code, { message }), exchange, null, true);
  }
  return messagePage({ words, look: core.options.look, title: edit.closed_title(), message, status });
}

/** The language that the submission came in. */
const wordsOf = (
  { core, request }: Exchange,
  { form, row }: { readonly form: Editable["form"]; readonly row?: Editable["row"] },
): Words =>
  core.options.languages.choose({
    form: form.value.settings.language,
    ...(row?.value.language && { field: row.value.language }),
    header: request.headers.get("accept-language"),
  });
