import type { Entry, Result } from "./types.ts";

/** A field's value as text, several joined; `""` where the submission lacks it. No service keeps the character 0. */
export function fieldOf({ values }: Entry, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return (typeof value === "string" ? value : (value ?? []).join(", ")).toWellFormed().replaceAll("\0", "");
}

/** The members of a contact by the names of fields; those of missing and empty fields are left out, so that they clear nothing. */
export const mappedOf = (entry: Entry, names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names)
      .map(([member, field]) => [member, fieldOf(entry, field)] as const)
      .filter(([, value]) => value !== ""),
  );

/** A submission that is no contact: another attempt would end alike. */
export const withoutAddress = (field: string): Result => ({
  end: "failed",
  fault: {
    code: "ERROR_WEBHOOK_INTERNAL",
    message: `The submission has no email address in the field ${field}, so there is no contact to write.`,
    ours: true,
  },
});
