import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { isProtected, policyOf } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import { fieldMatcher } from "../../model/restriction.ts";

/** A field that a request looks into, and the parameter that names it. */
export interface SearchedField {
  readonly name: string;
  readonly param: string;
}

/** The parts of a selection that look into values. */
export interface Looks {
  readonly named: readonly SearchedField[];
  /** True if it looks for text in every value. */
  readonly everywhere: "q" | "words" | null;
}

/**
 * Throws `invalid_parameter` where a form keeps one of these fields so that its values can't be compared. An agent can't compare
 * values that it may not see either: a search that finds something tells what is in there.
 */
export async function assertSearchable(
  core: Core,
  caller: Seer,
  formIds: readonly string[],
  looks: Looks,
): Promise<void> {
  if (isIdle(looks, caller)) return;
  // A deleted form has no policies any more, and nothing it kept matches.
  for (const id of formIds) assertSearchableIn((await core.rows.cached("forms", id))?.value, looks, caller);
}

type Seer = Pick<Caller, "sees" | "without">;

const isIdle = ({ named, everywhere }: Looks, { sees, without }: Seer): boolean =>
  named.length === 0 && !((sees || without) && everywhere);

/** The same for every form of these teams. */
export async function assertSearchableOf(
  core: Core,
  caller: Seer,
  teams: readonly string[],
  looks: Looks,
): Promise<void> {
  if (isIdle(looks, caller)) return;
  for (const team_id of teams) {
    for await (const rows of core.rows.walk("forms", { index: "team", equals: { team_id } })) {
      for (const { value } of rows) assertSearchableIn(value, looks, caller);
    }
  }
}

function assertSearchableIn(form: FormRecord | undefined, { named, everywhere }: Looks, { sees, without }: Seer): void {
  const { fields = {} } = form?.settings ?? {};
  for (const { name, param } of named) {
    if (!isProtected(fields, name)) continue;
    const how = { plain: "", encrypt: "encrypted", hash: "hashed", drop: "not stored" }[fields[name]?.store ?? "plain"];
    throw new ApiError("invalid_parameter", {
      param,
      message: `\`${param}\`: the field "${name}" is ${how}, so it can't be searched, filtered or grouped by.`,
    });
  }
  if (without) assertOpen(named, everywhere, without);
  if (!sees) return;
  for (const { name, param } of named) {
    if ((policyOf(fields, name)?.[sees] ?? "show") === "show") continue;
    throw new ApiError("invalid_parameter", {
      param,
      message: `\`${param}\`: the field "${name}" is hidden from agents, so they can't search, filter or group by it.`,
    });
  }
  const isHidden = Object.values(fields).some((policy) => policy.store === "plain" && policy[sees] !== "show");
  if (everywhere && isHidden) {
    throw new ApiError("invalid_parameter", {
      param: everywhere,
      message: `\`${everywhere}\` would look into fields that are hidden from agents; look into one field with \`field\`.`,
    });
  }
}

/** Throws where a search would tell a caller of values that it never gets. */
function assertOpen(
  named: readonly SearchedField[],
  everywhere: Looks["everywhere"],
  without: readonly string[],
): void {
  const isWithheld = fieldMatcher(without);
  const found = named.find(({ name }) => isWithheld(name));
  if (!found && !everywhere) return;
  const param = found?.param ?? everywhere ?? "q";
  const message = found
    ? `\`${param}\`: the field "${found.name}" is kept from this key, so it can't be searched, filtered or grouped by.`
    : `\`${param}\` would look into fields that are kept from this key; look into one field with \`field\`.`;
  throw new ApiError("invalid_parameter", { param, message });
}
