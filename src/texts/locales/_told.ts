import { ApiError, type ErrorCode, type ErrorDetails, errors, type FieldError } from "../../errors.ts";
import { english } from "./_languages.ts";
import type { Words } from "./_words.ts";

/** The text of an error for people. */
export interface Told {
  readonly message: string;
  readonly fields?: Readonly<Record<string, FieldError>> | undefined;
}

type Tell = (words: Words) => Told;

/** Apart from the errors: the client also throws `ApiError`, but has no languages. */
const tales = new WeakMap<ApiError, Tell>();

/** An error that can be told in every language; its own message is English. */
export function told(code: ErrorCode, tell: Tell, details: Omit<ErrorDetails, keyof Told> = {}): ApiError {
  const error = new ApiError(code, { ...details, ...tell(english) });
  tales.set(error, tell);
  return error;
}

/** An error in a visitor's language. One with an English sentence of its own gets the general sentence of its code. */
export function toldIn(words: Words, error: ApiError): Told {
  const tell = tales.get(error);
  if (tell) return tell(words);
  const { message, fields } = error;
  const code = sameSentence[error.code] ?? error.code;
  const exact = words.tag === "en" && message !== errors[error.code].message;
  if (words === english || exact || !isTold(words, code)) return { message, fields };
  return { message: words.errors[code](), fields };
}

/** The headline of an error. */
export function titleIn({ titles }: Words, error: ErrorCode): string {
  const code = sameSentence[error] ?? error;
  return Object.hasOwn(titles, code) ? titles[code as keyof typeof titles]() : titles.other();
}

/** Codes that differ for programs alone, or say more to the form's owner than a visitor has to know. */
const sameSentence: Partial<Record<ErrorCode, ErrorCode>> = {
  malformed_body: "invalid_parameter",
  body_consumed: "internal_error",
  limit_reached: "form_inactive",
};

const isTold = (words: Words, code: string): code is keyof Words["errors"] => Object.hasOwn(words.errors, code);
