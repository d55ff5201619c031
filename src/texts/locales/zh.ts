import texts from "../visitors/zh.json";
import { localeOf } from "./_fill.ts";
import type { Locale } from "./_types.ts";

/** Chinese, simplified. */
const zh: Locale = localeOf(texts);

export default zh;
