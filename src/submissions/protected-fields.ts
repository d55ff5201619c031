import type { Core } from "../core/core.ts";
import { ApiError } from "../errors.ts";
import { isProtected } from "../model/field-policy.ts";
import type { FormRecord } from "../model/form-record.ts";

/** A field that a request looks into, and the parameter that names it. */
export interface NamedField {
  readonly name: string;
  readonly param: string;
}

/** Throws `invalid_parameter` where a form keeps one of these fields so that its values can't be compared. */
export async function assertSearchable(
  core: Core,
  formIds: readonly string[],
  named: readonly NamedField[],
): Promise<void> {
  if (named.length === 0) return;
  // A deleted form has no policies any more, and nothing it kept matches.
  for (const id of formIds) assertSearchableIn((await core.rows.cached("forms", id))?.value, named);
}

/** The same of every form of these teams. */
export async function assertSearchableOf(
  core: Core,
  teams: readonly string[],
  named: readonly NamedField[],
): Promise<void> {
  if (named.length === 0) return;
  for (const team_id of teams) {
    for await (const rows of core.rows.walk("forms", { index: "team", equals: { team_id } })) {
      for (const { value } of rows) assertSearchableIn(value, named);
    }
  }
}

function assertSearchableIn(form: FormRecord | undefined, named: readonly NamedField[]): void {
  const { fields = {} } = form?.settings ?? {};
  for (const { name, param } of named) {
    if (!isProtected(fields, name)) continue;
    const how = { plain: "", encrypt: "encrypted", hash: "hashed", drop: "not stored" }[fields[name]?.store ?? "plain"];
    throw new ApiError("invalid_parameter", {
      param,
      message: `\`${param}\`: the field "${name}" is ${how}, so it can't be searched, filtered or grouped by.`,
    });
  }
}
