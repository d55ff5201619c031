import texts from "../visitors/es.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Spanish. */
const es: Locale = localeOf(texts);

export default es;
