import texts from "../visitors/fr.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** French. */
const fr: Locale = localeOf(texts);

export default fr;
