import { setImmediate } from "node:timers/promises";
import type { Core } from "../core.ts";
import type { Condition, Equals, PageQuery, Position, Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { HostFormCreate } from "../forms/schema.ts";
import { createForm } from "../forms/service.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { parseMailbox } from "../lib/email.ts";
import { parseInput } from "../lib/input.ts";
import { mergeLeaves } from "../lib/merge.ts";
import type { SubmissionField, SubmissionRecord } from "../submissions/schema.ts";
import type { ListQuery } from "./filter.ts";
import { type LegacyCreate, parameters } from "./schema.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Rows read at once on the way to a page. */
const STEP = 250;
const COUNT_BUDGET_MS = 60_000;

/** Creates a form with its webhook in one commit and answers its endpoint. Throws as `createForm` does, with the legacy parameter's name. */
export async function createLegacyForm(core: Core, caller: Caller, sent: LegacyCreate): Promise<string> {
  try {
    const { webhooks, ...input } = toForm(sent);
    const form = await createForm(core, caller, parseInput(HostFormCreate, input), webhooks);
    return form.endpoint;
  } catch (error) {
    throw error instanceof ApiError ? inLegacyTerms(error) : error;
  }
}

/** The v1 input that legacy parameters stand for. */
function toForm(sent: LegacyCreate): Record<string, unknown> & { webhooks: { url: string }[] } {
  let input = {};
  const set = (path: string, value: unknown) => {
    input = mergeLeaves(input, path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value) as object);
  };
  for (const [name, { takes, sets }] of Object.entries(parameters)) {
    const value = sent[name];
    const [path = "", addressPath = ""] = sets;
    if (value === undefined || takes === "nothing" || name === "webhook") continue;
    if (takes === "sender") {
      const mailbox = parseMailbox(String(value));
      if (mailbox) set(addressPath, mailbox.address);
      if (!mailbox || mailbox.name) set(path, mailbox ? mailbox.name : value);
    } else if (typeof takes === "object") {
      set(path, takes[String(value)] || undefined);
    } else if (!path.endsWith(".template.html") || custom(name)) {
      set(path, value);
    }
  }
  return { ...input, webhooks: sent["webhook"] === undefined ? [] : [{ url: String(sent["webhook"]) }] };

  // In v1 a template with html is custom whatever its theme, so html beside a built-in theme stays out.
  function custom(codeParameter: string): boolean {
    return (sent[codeParameter.replace("_code", "_theme")] ?? "Custom") === "Custom";
  }
}

/** An error about a v1 field, said of the parameter that sets it. */
function inLegacyTerms(error: ApiError): ApiError {
  const { param, code, headers, message } = error;
  if (param === undefined) return error;
  const path = param === "url" || param === "webhooks" ? "webhooks.0.url" : param;
  const [name] = Object.entries(parameters).find(([, { sets }]) => sets.some((own) => path === own || path.startsWith(`${own}.`))) ?? [];
  if (!name) return error;
  return new ApiError(code, { param: name, message: message.replaceAll(`\`${param}\``, `\`${name}\``), headers, cause: error });
}

/** A submission as the legacy API answers it. */
export interface LegacySubmission {
  _id: string;
  form: string;
  createdAt: string;
  updatedAt: string;
  fields: SubmissionField[];
}

/** A numbered page of a form's submissions. The caller's access to the form was checked before. */
export async function listLegacySubmissions(core: Core, form: string, { limit, page, sort, filter }: ListQuery) {
  const [field, direction] = sort.split(":");
  const column = field === "updatedAt" ? "updated_at" : "created_at";
  const where = filter.map((one): Condition => {
    if ("days" in one) return { column: "created_at", op: "gte", value: iso(core.clock.now() - one.days * DAY_MS) };
    if ("field" in one) return one;
    return { column: one.column, op: "in", value: [one.value] };
  });
  const list = { column, order: direction === "1" ? "asc" : "desc", where, ...indexFor(form, column, filter) } as const;
  const { count: total, exact } = await core.storage.count("submissions", { ...pick(list), budgetMs: COUNT_BUDGET_MS });
  if (!exact) throw new ApiError("unavailable", { message: "Counting took too long; filter by date.", headers: { "retry-after": "5" } });
  const rows = await numbered(core, list, total, (page - 1) * limit, limit);
  const pages = Math.ceil(total / limit);
  return {
    form,
    results: rows.length,
    pagination: {
      current_page: page,
      previous_page: page > 1 ? page - 1 : null,
      next_page: page < pages ? page + 1 : null,
      total_page: pages,
      total_submissions: total,
    },
    submissions: rows.map(
      ({ id, value }): LegacySubmission => ({
        _id: id,
        form,
        createdAt: value.created_at,
        updatedAt: value.updated_at,
        fields: value.fields.map(({ key, value: text }) => ({ key, value: text })),
      }),
    ),
  };
}
