import texts from "../visitors/he.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Hebrew. */
const he: Locale = localeOf(texts);

export default he;
