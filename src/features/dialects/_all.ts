import type { DialectName } from "../../model/dialects.ts";
import type { Dialect } from "./_dialect.ts";
import { basin } from "./basin.ts";
import { formcarry } from "./formcarry.ts";
import { formspark } from "./formspark.ts";
import { formspree } from "./formspree.ts";
import { formsubmit } from "./formsubmit.ts";
import { netlify } from "./netlify.ts";
import { staticforms } from "./staticforms.ts";
import { web3forms } from "./web3forms.ts";

/** Every dialect. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  formspree,
  formcarry,
  web3forms,
  staticforms,
  formsubmit,
  netlify,
  basin,
  formspark,
};
