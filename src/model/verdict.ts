import { z } from "zod";
import { block, flag, list, number, optional, text } from "../lib/leaves.ts";

/** A part of a value that a check refers to, from `start` up to `end`, in UTF-16 units. */
export const VerdictPlace = z.object({
  /** The field's name. */
  key: z.string(),
  nth: z.int().min(0).describe("Index of the value among those of this name, from 0."),
  /** The first character. */
  start: z.int().min(0),
  /** The index after the last character. */
  end: z.int().min(0),
});
export type VerdictPlace = z.infer<typeof VerdictPlace>;

/** Result of one check of the spam pipeline. */
export const Verdict = z.object({
  /** The name of the check. */
  check: z.string(),
  /** True where it found spam. */
  spam: z.boolean(),
  /** The share of the score. */
  score: z.number().exactOptional(),
  /** The reason in words. */
  reason: z.string().exactOptional(),
  /** The places in the values that it found. */
  at: z.array(VerdictPlace).exactOptional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** Reads a verdict from the store. */
export const verdictLeaf = block<Verdict>({
  check: text(""),
  spam: flag(false),
  score: optional(number()),
  reason: optional(text()),
  at: optional(list(block<VerdictPlace>({ key: text(""), nth: number(0), start: number(0), end: number(0) }))),
});

/** Said of a submission that was let through because its captcha's provider was down. */
export const UNVERIFIED: Verdict = { check: "captcha", spam: false, reason: "unverified" };

/** True if a submission needed a solved captcha and nobody could verify it. */
export const isUnverified = (verdict: readonly Verdict[]): boolean =>
  verdict.some(({ check, reason }) => check === UNVERIFIED.check && reason === UNVERIFIED.reason);
