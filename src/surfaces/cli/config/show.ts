import type { LeafChange } from "../../../lib/differences.ts";
import { type Io, styled } from "../io.ts";
import { safeLine } from "../text.ts";
import type { FormStep } from "./plan.ts";

const SENSITIVE = "(sensitive)";

/** One line of a plan, as `--json` prints it. */
export interface ShownChange {
  readonly action: FormStep["action"];
  readonly form: string;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The changes of a plan, without secrets. */
export const shownChanges = (steps: readonly FormStep[]): ShownChange[] => steps.flatMap(changesOf);

function changesOf({ action, key, form, settings, webhooks, secret }: FormStep): ShownChange[] {
  const whole = (path: string, before: unknown, after: unknown): ShownChange => ({
    action,
    form: key,
    path,
    before,
    after,
  });
  const leaf = ({ path, before, after }: LeafChange): ShownChange => {
    const dotted = path.join(".");
    const hidden = secret.has(dotted);
    const hide = (value: unknown): unknown =>
      hidden && value !== undefined && value !== "" ? SENSITIVE : (value ?? null);
    return whole(dotted, hide(before), hide(after));
  };
  if (action === "delete") return [whole("", null, null)];
  const hooks = webhooks.flatMap(({ name, changes }) =>
    changes ? changes.map(leaf) : [whole(`webhooks.${name}`, name, null)],
  );
  return [...form.map(leaf), ...settings.map(leaf), ...hooks];
}

const signs = { create: ["+", "green"], update: ["~", "yellow"], delete: ["-", "red"] } as const;
const MAX_VALUE = 200;

const textOf = (value: unknown): string => {
  if (value === SENSITIVE) return SENSITIVE;
  const text = safeLine(JSON.stringify(value) ?? "null");
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

/** A plan for people: a line for each form and each leaf, and a summary. */
export function planText(io: Pick<Io, "env" | "tty">, steps: readonly FormStep[]): string {
  if (steps.length === 0) return "No changes: the forms match the file.\n";
  const lines = steps.flatMap((step) => {
    const [sign, colour] = signs[step.action];
    const rows = step.action === "delete" ? [] : changesOf(step);
    return [
      styled(io, colour, `${sign} ${step.key}`),
      ...rows.map(({ path, before, after }) => {
        const change = step.action === "create" ? textOf(after) : `${textOf(before)} → ${textOf(after)}`;
        return `    ${safeLine(path)}: ${change}`;
      }),
    ];
  });
  const count = (action: FormStep["action"]): number => steps.filter((step) => step.action === action).length;
  const summary = `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete.`;
  return `${[...lines, "", summary].join("\n")}\n`;
}
