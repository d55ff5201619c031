import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { MarkId } from "../../model/marks.ts";
import { giveUp } from "./store.ts";

export const MAX_IMAGES = 100;
export const MAX_IMAGES_BYTES = 100 * 1024 * 1024;

/** The row that makes changes to a form's images exclude each other; it is removed with the form. */
export const guardOf = (form_id: string): MarkId => `images:${form_id}`;

/** All images of a form. */
export const imagesOf = (core: Core, form_id: string): Promise<Row<"images">[]> =>
  core.rows.all("images", { index: "form", equals: { form_id }, most: MAX_IMAGES + 1 });

/** The writes that remove all images of a form, and the images whose bytes to discard afterwards. */
export async function imageRemovals(core: Core, form_id: string): Promise<{ ids: string[]; writes: Write[] }> {
  const ids = (await imagesOf(core, form_id)).map(({ id }) => id);
  const writes = ids.flatMap((id): Write[] => [{ op: "remove", collection: "images", id }, giveUp(core, id)]);
  return { ids, writes: [...writes, { op: "remove", collection: "marks", id: guardOf(form_id) }] };
}
