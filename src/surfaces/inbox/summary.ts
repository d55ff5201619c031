import { isEmail } from "../../lib/email.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { isMessage, nameIn } from "./field-words.ts";

/** Characters of a value that a line may show: a value may have a million. */
const SHOWN = 160;

/** A submission in one line. */
export interface Summary {
  readonly from: string;
  readonly preview: string;
}

/** A sentence says more than a long word. */
const weightOf = (text: string): number => text.length * (text.includes(" ") ? 4 : 1);

/** The sender's name, as far as the fields show it, and a summary. */
export function summaryOf({ fields }: Pick<HostSubmission, "fields">): Summary {
  const filled = fields.slice(0, 50).flatMap(({ key, value }) => {
    // Without the marks that turn the direction of what follows: the values stand in one line.
    const text = oneLine(value.slice(0, SHOWN * 2))
      .replace(/\s+/g, " ")
      .slice(0, SHOWN);
    return text === "" ? [] : [{ key, text }];
  });
  const mail = filled.find(({ text }) => isEmail(text));
  const named = namedBy(filled.filter((field) => field !== mail));
  const from = named.length > 0 ? named : [mail ?? filled[0]].filter((field) => field !== undefined);
  const rest = filled.filter((field) => !from.includes(field) && field !== mail);
  const said = rest.find(({ key }) => isMessage(key));
  const longest =
    said ??
    rest.reduce((best, field) => (weightOf(field.text) > weightOf(best.text) ? field : best), {
      key: "",
      text: "",
    });
  const others = rest.filter((field) => field !== longest).map(({ text }) => text);
  const preview = [longest.text, ...(named.length > 0 && mail ? [mail.text] : []), ...others]
    .filter(Boolean)
    .join(" · ");
  return {
    from: from
      .map(({ text }) => text)
      .join(" ")
      .slice(0, SHOWN),
    preview: preview.slice(0, SHOWN),
  };
}

interface Filled {
  readonly key: string;
  readonly text: string;
}

/** The fields with the sender's name: one with all of it, otherwise its parts, in the order of the form. */
function namedBy(filled: readonly Filled[]): readonly Filled[] {
  const whole = filled.find(({ key }) => nameIn(key) === "whole");
  return whole ? [whole] : filled.filter(({ key }) => nameIn(key) === "part").slice(0, 3);
}
