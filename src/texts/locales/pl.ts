import texts from "../visitors/pl.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Polish. */
const pl: Locale = localeOf(texts);

export default pl;
