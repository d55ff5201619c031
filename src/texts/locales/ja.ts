import texts from "../visitors/ja.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Japanese. */
const ja: Locale = localeOf(texts);

export default ja;
