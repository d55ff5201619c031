import texts from "../visitors/tr.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Turkish. */
const tr: Locale = localeOf(texts);

export default tr;
