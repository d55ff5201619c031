import type { Translated } from "../../../texts/locales/_types.ts";
import type { english } from "./_english.ts";

/** Texts in another language, typed by the English ones: a missing text or placeholder does not compile. */
export type In<English> = {
  readonly [Group in keyof English]: {
    readonly [Name in keyof English[Group]]: Translated<English[Group][Name]>;
  };
};

/** Every text of the inbox in another language. */
export type Catalogue = In<typeof english>;
