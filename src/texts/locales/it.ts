import texts from "../visitors/it.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Italian. */
const it: Locale = localeOf(texts);

export default it;
