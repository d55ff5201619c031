import type { z } from "zod";
import type { JsonSchema } from "../api/schema-book.ts";
import type { OperationName } from "./operations.ts";

/** The effects of a tool, from which its annotations follow. */
export type Kind = "read" | "create" | "mark" | "change" | "renew" | "send";

export type Arguments = Readonly<Record<string, unknown>>;

/**
 * The way of a tool through results that are too long for one answer. `cursor` and `before`: pages of the row; `slice`: parts of
 * its list `data`; `fields`: parts of a submission's values; `export`: pages as one text; `window`: parts of long texts and lists.
 */
export type Paging = "cursor" | "before" | "slice" | "fields" | "export" | "window";

/** A tool: a row of the management API, and how agents see it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: OperationName;
  readonly kind: Kind;
  /** Set if it leads to requests or mails to others. */
  readonly openWorld?: true;
  /** Arguments of the row with a fixed value. */
  readonly fixed?: Arguments;
  /** Arguments of the row that agents can't set, and why. */
  readonly withheld?: Readonly<Record<string, string>>;
  /** Arguments that the row doesn't have, or has in another form. */
  readonly args?: Readonly<Record<string, JsonSchema>>;
  /** Makes the row's input of the arguments. */
  readonly input?: (args: Arguments) => Arguments;
  readonly paging?: Paging;
  /** The shape of the answer, if it is not the row's. */
  readonly answer?: z.ZodType;
  /** Makes the answer of the row's result. */
  readonly show?: (result: never) => object;
  /** The text that `confirm` must hold, and the calls that can't do without. */
  readonly confirm?: { readonly of: "submission" | "form"; readonly needed: (args: Arguments) => boolean };
}

/** The four annotations of a tool; a client takes one that is missing for the worst. */
export function annotationsOf({ kind, openWorld, title }: Tool) {
  return {
    title,
    readOnlyHint: kind === "read",
    destructiveHint: kind === "change" || kind === "renew",
    idempotentHint: kind === "read" || kind === "mark" || kind === "change",
    openWorldHint: openWorld === true || kind === "send",
  };
}
