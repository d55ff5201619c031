import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { wrongParameter } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import type { Caller } from "../../model/keys.ts";
import { MarkupInput } from "../../model/markup.ts";
import { endpointOf } from "../forms/view.ts";
import { processMemoryOf } from "../spam/process-memory.ts";
import { listFields } from "../submissions/fields.ts";
import { namesOf, readyField } from "./fields.ts";
import { formMarkup } from "./render.ts";
import { schemaFields } from "./schema.ts";

/** Fields that come in fewer than one of this many submissions come from a test or a robot. */
const RARE = 20;
const MOST = 50;

/** A form as HTML to paste into a page. Throws `invalid_parameter`, `scan_concurrency`. */
export async function formHtml(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  input: MarkupInput = {},
): Promise<string> {
  const { fields: given, language, id, values = {}, errors = {} } = parseInput(MarkupInput, input);
  const { languages } = core.options;
  if (language !== undefined && !languages.tags.includes(language)) {
    throw wrongParameter("language", `must be one of ${languages.tags.join(", ")}`);
  }
  const registered = processMemoryOf(core).schemas.get(form.id);
  const schema = registered ? schemaFields(registered) : null;
  const chosen = given ?? namesOf(form.value, schema, await cameBefore(core, caller, form.id));
  const fields = chosen.map((one) => readyField(form.value, schema, typeof one === "string" ? { name: one } : one));
  const twice = fields.find(({ name }, at) => fields.findIndex((other) => other.name === name) !== at);
  if (twice) throw wrongParameter("fields", `must have no name twice, and has "${twice.name}"`);
  const said = new Map(
    Object.entries(errors).map(([name, fault]) => [name, typeof fault === "string" ? fault : fault.message]),
  );
  const filled = new Map(Object.entries(values));
  const known = new Set(fields.map(({ name }) => name));
  return formMarkup({
    endpoint: endpointOf(core, form.id),
    id,
    fields,
    words: languages.choose({ form: language ?? form.value.settings.language, header: null }),
    valuesOf: (name) => [filled.get(name) ?? []].flat(),
    faultOf: (name) => said.get(name),
    others: [...said].flatMap(([name, message]) => (known.has(name) ? [] : [message])),
  });
}

/** The fields of past submissions, most used first. */
async function cameBefore(core: Core, caller: Caller, formId: string): Promise<string[]> {
  const { data, submissions_read } = await listFields(core, caller, formId);
  return data
    .filter(({ count }) => count * RARE >= submissions_read)
    .map(({ name }) => name)
    .slice(0, MOST);
}
