import { isEmail } from "../../lib/email.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { HostSubmission } from "../../model/submissions.ts";

/** Characters of a value that a line may show: a value may have a million. */
const SHOWN = 160;

/** A submission in one line. */
export interface Summary {
  readonly from: string;
  readonly preview: string;
}

const NAME = /^((your|full|first|contact)[ _-]?)?name$/i;

const MESSAGE = /message|comment|question|enquiry|inquiry|feedback|body|text|note|nachricht|mensaje/i;
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
  const named = filled.find(({ key }) => NAME.test(key));
  const mail = filled.find(({ text }) => isEmail(text));
  const from = named ?? mail ?? filled[0];
  const rest = filled.filter((field) => field !== from && field !== mail);
  const said = rest.find(({ key }) => MESSAGE.test(key));
  const longest =
    said ??
    rest.reduce((best, field) => (weightOf(field.text) > weightOf(best.text) ? field : best), {
      key: "",
      text: "",
    });
  const others = rest.filter((field) => field !== longest).map(({ text }) => text);
  const preview = [longest.text, ...(named && mail ? [mail.text] : []), ...others].filter(Boolean).join(" · ");
  return { from: from?.text ?? "", preview: preview.slice(0, SHOWN) };
}
