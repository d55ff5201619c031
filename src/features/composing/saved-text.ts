import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import type { TagView } from "../../lib/tags.ts";
import { TemplateError } from "../../lib/template.ts";
import { renderText } from "../mail/tags.ts";

/** A saved reply with its tags filled in. Throws `not_found`, `invalid_parameter`. */
export async function filled(
  core: Core,
  form: Row<"forms">,
  id: string,
  seen: Pick<TagView, "submission" | "fields">,
): Promise<string> {
  const { team_id, name } = form.value;
  const saved = await core.rows.get("saved_replies", id);
  if (saved?.value.team_id !== team_id)
    throw new ApiError("not_found", { message: "There is no saved reply with this id." });
  try {
    return await renderText(saved.value.text, { form: { id: form.id, name, team_id }, ...seen });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw wrongParameter("text", error.message);
  }
}
