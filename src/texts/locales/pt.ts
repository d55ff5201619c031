import texts from "../visitors/pt.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Portuguese, as in Brazil. */
const pt: Locale = localeOf(texts);

export default pt;
