import type { Core } from "../../core/core.ts";
import { put, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { block, type Leaf, text } from "../../lib/leaves.ts";
import { type FormRecord, settingsOf } from "../../model/form-record.ts";
import type { MarkId } from "../../model/marks.ts";

/**
 * Keys and aliases of forms. Each is a row of its own, written in the form's commit on condition that no other form has it. So
 * it is unique even if two processes claim it at the same time.
 */
interface NameRow {
  form_id: string;
  /** Names never expire. */
  expires_at: null;
}

const never: Leaf<null> = { read: () => null };
const nameLeaf = block<NameRow>({ form_id: text(), expires_at: never });

/** A name, the id of its row, and the leaf that it was sent in. */
interface Name {
  readonly row: MarkId;
  readonly text: string;
  readonly leaf: "key" | "aliases";
}

const keyRow = (team_id: string, key: string): MarkId => `form-key:${team_id}:${key}`;
const aliasRow = (alias: string): MarkId => `form-alias:${alias}`;

/** The id of the form with this key in a team, or null. */
export async function formIdByKey(core: Core, team_id: string, key: string): Promise<string | null> {
  return (await core.rows.mark(keyRow(team_id, key), nameLeaf))?.value.form_id ?? null;
}

/** The id of the form with this alias, or null. */
export async function formIdByAlias(core: Core, alias: string): Promise<string | null> {
  return (await core.rows.mark(aliasRow(alias), nameLeaf))?.value.form_id ?? null;
}

/**
 * The writes that give a form the names of `after` and release those of `before`; null means no form. Commit them with the
 * form's own row. `at` is the prefix of the leaf in errors. Throws `invalid_parameter` if another form has one of the names.
 */
export async function nameWrites(
  core: Core,
  id: string,
  before: FormRecord | null,
  after: FormRecord | null,
  at: string,
): Promise<Write[]> {
  const [had, has] = [namesOf(before), namesOf(after)];
  const isOf = (names: readonly Name[], { row }: Name): boolean => names.some((name) => name.row === row);
  const taken = has.filter((name) => !isOf(had, name));
  const freed = had.filter((name) => !isOf(has, name));
  if (taken.length > 0) await assertFree(core, id, taken, at);
  const value: NameRow = { form_id: id, expires_at: null };
  return [...freed.map(({ row }) => remove("marks", row)), ...taken.map(({ row }) => put("marks", row, value, null))];
}

function namesOf(form: FormRecord | null): Name[] {
  if (!form) return [];
  const { key, aliases } = settingsOf(form);
  return [
    ...(key === null ? [] : [{ row: keyRow(form.team_id, key), text: key, leaf: "key" as const }]),
    ...aliases.map((alias) => ({ row: aliasRow(alias), text: alias, leaf: "aliases" as const })),
  ];
}

async function assertFree(core: Core, id: string, names: readonly Name[], at: string): Promise<void> {
  const aliases = names.filter(({ leaf }) => leaf === "aliases").map(({ text }) => text);
  const [rows, forms] = await Promise.all([
    core.storage.get(
      "marks",
      names.map(({ row }) => row),
    ),
    // An id wins over an alias wherever both are taken, so such an alias would never be heard.
    aliases.length > 0 ? core.storage.get("forms", aliases) : new Map(),
  ]);
  const other = names.find(
    ({ row, text, leaf }) => rows.has(row) || (leaf === "aliases" && forms.has(text) && text !== id),
  );
  if (!other) return;
  const param = at + other.leaf;
  const where = other.leaf === "key" ? "of the team " : "";
  throw new ApiError("invalid_parameter", {
    param,
    message: `\`${param}\`: another form ${where}has the name ${other.text}.`,
  });
}
