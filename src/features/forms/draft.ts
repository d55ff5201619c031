import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { parseInput } from "../../lib/input.ts";
import { HostFormPatch } from "../../model/form-input.ts";
import { configured } from "./configure.ts";

/** A form with changes that are not saved. Throws `invalid_parameter`. */
export async function draftOf(core: Core, form: Row<"forms">, patch: unknown): Promise<Row<"forms">> {
  return { ...form, value: await configured(core, form.value, parseInput(HostFormPatch, patch), "settings.", form.id) };
}
