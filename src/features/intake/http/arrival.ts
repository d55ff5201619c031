import { enterUpload } from "../../../core/fairness/uploads.ts";
import { bodyStream, mediaType, readBody, UPLOAD_PACE } from "../../../core/http/body.ts";
import { addressKey, addressOf, limitAddress, limitPost } from "../../../core/http/limits.ts";
import type { Exchange } from "../../../core/http/route.ts";
import type { Row } from "../../../core/rows.ts";
import { ApiError } from "../../../errors.ts";
import { parseJson } from "../../../lib/json.ts";
import { visitTurn } from "../../../lib/turn.ts";
import type { SubmissionField } from "../../../model/submission-field.ts";
import type { Dialect } from "../../dialects/_dialect.ts";
import { limitTeamPost, mayLimitPosts } from "../../teams/limits.ts";
import { openForm } from "../accept.ts";
import { dialectOf } from "../dialect-of.ts";
import { collectFields, type Posted } from "../fields.ts";
import { isHeavy, LIGHT_BYTES } from "../heavy.ts";
import { lateUploads } from "../late-uploads.ts";
import { assertOrigin } from "../origin.ts";
import { type BodySource, parsePost } from "../parse.ts";
import type { Refused } from "../respond.ts";
import { salvage } from "../salvage.ts";
import { type Translator, translate, unnamed } from "../translate.ts";
import { knownUploads, openUploads, type Uploads } from "../uploads.ts";
import type { Trial } from "./trial.ts";

/** The address to which a post was sent. */
export interface PostAddress {
  /** The form's id; null where its name is in the body. */
  readonly id: string | null;
  /** The address of the post: the error page posts there again, even while the form is unknown. */
  readonly endpoint: string;
  /** The dialects of the address; none where the form or the sender says which one. */
  readonly among: readonly Dialect[];
  /** Set where the response is JSON whatever the request says. */
  readonly json: boolean;
  /** The id of the form with a name that came in the body. */
  readonly find: (name: string) => Promise<string | null>;
}

/** The part of a refused post that has arrived, for the page on which the visitor corrects it. */
export interface Remains extends Pick<Refused, "fields" | "files" | "whole"> {
  /** The visitor's choice of a language. */
  readonly language: string | undefined;
  /** Fields that steer the post. */
  readonly steering: readonly SubmissionField[];
}

/** A post while it arrives. */
export interface Arrival {
  /** The form, once it is known. */
  form(): Row<"forms"> | null;
  /** The dialect of the post; where several are possible, the one that its fields show. */
  dialect(): Dialect | null;
  /** Finds the form, asks it whether it takes the post, and reads that. Throws the codes of the endpoint's table. */
  read(trial: Trial | null): Promise<{ readonly form: Row<"forms">; readonly posted: Posted }>;
  /** The part that has arrived so far. With `more`, a body that nobody has begun to read is read first, within limits. */
  remains(more: boolean): Promise<Remains>;
  /** Await it at the end in any case. Removes files that were not kept. */
  close(): Promise<void>;
}

/** `stepBack` tells that the visit is heavy itself, and gets no precedence any more. */
export function arriving(
  exchange: Exchange,
  { id, endpoint, among, find }: PostAddress,
  stepBack: () => void,
): Arrival {
  const { core, request } = exchange;
  const { headers } = request;
  const type = mediaType(request);
  const collected = collectFields();
  let form = null as Row<"forms"> | null;
  let dialect = among[0] ?? dialectOf(core, null, headers);
  let translator = null as Translator | null;
  let uploads = null as Uploads | null;
  let leave = (): void => {};
  let isReading = false;

  const turn = async (): Promise<void> => {
    stepBack();
    const team = form?.value.team_id ?? "";
    await exchange.share.take(team);
    await visitTurn(team);
  };
  const source: BodySource = {
    mediaType: type,
    contentType: headers.get("content-type") ?? "",
    async bytes(limit) {
      const bytes = await readBody(request, limit);
      if (bytes.length > LIGHT_BYTES) await turn();
      return bytes;
    },
    json: parseJson,
    stream: () => bodyStream(request, UPLOAD_PACE, turn),
  };

  return {
    form: () => form,
    dialect: () => translator?.dialect() ?? dialect,
    async read(trial) {
      const posted = id === null ? await readNamed(trial) : await read(id, trial);
      if (!form) throw new ApiError("form_not_found");
      if (isHeavy(form.value, posted)) await turn();
      return { form, posted };
    },
    async remains(more) {
      const inputs = more && !isReading ? await salvage(core, source, collected) : uploads?.inputs;
      const { fields, special, captcha } = collected.done();
      const named = id === null ? translator?.named() : null;
      const toForm = named ? [[named.field, named.name] as const] : [];
      return {
        fields,
        files: [...(inputs ?? [])].map(([key, count]) => ({ key, count })),
        whole: collected.isWhole(),
        language: special._language,
        steering: [...toForm, ...Object.entries(special), ...captcha].map(([key, value]) => ({ key, value })),
      };
    },
    async close() {
      leave();
      await uploads?.close();
    },
  };

  /** Finds the form and asks it whether it takes the post. */
  async function enter(formId: string, trial: Trial | null): Promise<Uploads> {
    await trial?.reach(formId);
    // A form is counted below, where its origins are known to be right. One that has to be read first costs its sender before that:
    // ids that lead nowhere would read the store as often as somebody likes.
    const isPaid = id !== null && !trial && !core.rows.isCached("forms", formId);
    if (isPaid) await limitAddress(exchange);
    form = core.rows.known("forms", formId) ?? (await core.rows.cached("forms", formId));
    if (form && among.length === 0) dialect = dialectOf(core, form.value, headers);
    form = await openForm(core, formId);
    assertOrigin(form.value.allowed_origins, headers, endpoint);
    if (!trial) {
      await limitPost(exchange, formId, { isPaid });
      if (mayLimitPosts(core, form.value.team_id)) await limitTeamPost(core, form.value.team_id);
    }
    exchange.share.note(form.value.team_id);
    // Before the body is read, so that nothing of it is kept while the post waits.
    const length = Number(headers.get("content-length") ?? Infinity);
    if (type === "multipart/form-data" || !(length <= LIGHT_BYTES)) await turn();
    return knownUploads(core, form) ?? openUploads(core, form);
  }

  async function read(formId: string, trial: Trial | null): Promise<Posted> {
    const entered = await enter(formId, trial);
    if (type === "multipart/form-data") leave = enterUpload(core, addressKey(addressOf(exchange)));
    uploads = entered;
    isReading = true;
    return parsePost(source, dialect ? translate(collected, [dialect]) : collected, entered);
  }

  /** Reads a post whose form is named in its body: within the limits of all forms, until it is known which one it is. */
  async function readNamed(trial: Trial | null): Promise<Posted> {
    await limitAddress(exchange);
    if (type === "multipart/form-data") leave = enterUpload(core, addressKey(addressOf(exchange)));
    const fields = translate(collected, among);
    translator = fields;
    const late = lateUploads(async () => {
      const named = fields.named();
      if (named === null) throw unnamed(among);
      return enter((await find(named.name)) ?? "-", trial);
    });
    uploads = late;
    isReading = true;
    const posted = await parsePost(source, fields, late);
    await late.opened();
    return posted;
  }
}
