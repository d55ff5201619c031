import { isEmail } from "../../../lib/email.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { isMessage, nameIn } from "../field-words.ts";
import type { RuleRow } from "./routing-rows.ts";
import { tidy } from "./tidy.ts";

/** Characters of a value that others may have as well, such as that of a choice. */
const SHORT = 60;
/** Fields that are looked at. */
const MOST = 50;

/**
 * The condition of a rule for submissions like this one: the first short value that names nobody, such as that of a choice, otherwise
 * the domain of the sender's address. Null where it has neither.
 */
export function conditionLike({ fields }: Pick<HostSubmission, "fields">): RuleRow["conditions"][number] | null {
  const filled = fields.slice(0, MOST).filter(({ value }) => value.trim() !== "");
  const choice = filled.find(
    ({ key, value }) =>
      value.length <= SHORT &&
      !value.includes("\n") &&
      !isEmail(value.trim()) &&
      nameIn(key) === null &&
      !isMessage(key),
  );
  if (choice) return { field: tidy(choice.key), type: "equals", value: tidy(choice.value), negate: false };
  const mail = filled.find(({ value }) => isEmail(value.trim()));
  if (!mail) return null;
  const address = mail.value.trim();
  return { field: tidy(mail.key), type: "contains", value: address.slice(address.lastIndexOf("@")), negate: false };
}
