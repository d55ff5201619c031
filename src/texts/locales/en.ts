import texts from "../visitors/en.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** English. */
const en: Locale = localeOf(texts);

export default en;
