import { late } from "../../../lib/late.ts";

/** The model, loaded by the first form that learns or the first question about it. */
export const learnedModel = late(() => import("./model.ts"));
