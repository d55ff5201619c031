import type { MarkId } from "./marks.ts";

/** A row that makes something single use: it is committed with the submission and must not have been there before. */
export interface Mark {
  readonly id: MarkId;
  /** Epoch ms. */
  readonly expiresAt: number;
}
