import { SOURCE_FIELD } from "../../model/source.ts";
import type { SubmissionField } from "../../model/submission-field.ts";

/** The source of an exported submission as a post sends it; the form decides whether it keeps it. */
export const sourceFields = (source: object): SubmissionField[] =>
  Object.keys(source).length > 0 ? [{ key: SOURCE_FIELD, value: JSON.stringify(source) }] : [];
