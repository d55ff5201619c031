import texts from "../visitors/nl.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Dutch. */
const nl: Locale = localeOf(texts);

export default nl;
