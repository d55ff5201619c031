import texts from "../visitors/ar.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Arabic. */
const ar: Locale = localeOf(texts);

export default ar;
