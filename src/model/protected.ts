import { block, list, number, optional, text } from "../lib/leaves.ts";

/** The stored form of a protected value: sealed under the data key of its form, or hashed. */
export interface ProtectedValue {
  /** Its index among the fields, where an empty value takes its place. */
  at: number;
  sealed?: string;
  hash?: string;
}

/** The values of a submission that are not stored as they came. */
export interface ProtectedValues {
  /** The id of the form's data key; empty where none is needed. */
  data_key: string;
  values: ProtectedValue[];
}

/** The data key that sealed the bytes of a file, and the sealed file name. */
export interface SealedFile {
  data_key: string;
  name: string;
}

const valueLeaf = block<ProtectedValue>({ at: number(), sealed: optional(text()), hash: optional(text()) });

export const protectedLeaf = block<ProtectedValues>({ data_key: text(""), values: list(valueLeaf) });
export const sealedFileLeaf = block<SealedFile>({ data_key: text(""), name: text("") });
