import type { Core } from "../../core/core.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { facing } from "../teams/face.ts";

/** The form as another team has it: with the URLs of its own images at that team's host, since no other host serves them for good. */
export async function withImagesAt(
  core: Core,
  form: FormRecord,
  images: readonly { readonly id: string }[],
  team_id: string,
): Promise<FormRecord> {
  const [left, joined] = await Promise.all([facing(core, form.team_id), facing(core, team_id)]);
  const [before, after] = [left.options.baseUrl, joined.options.baseUrl];
  if (before === after || images.length === 0) return form;
  const text = images.reduce(
    (settings, { id }) => settings.replaceAll(`${before}/files/${id}/`, `${after}/files/${id}/`),
    JSON.stringify(form),
  );
  return JSON.parse(text) as FormRecord;
}
