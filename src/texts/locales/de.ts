import texts from "../visitors/de.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** German. */
const de: Locale = localeOf(texts);

export default de;
