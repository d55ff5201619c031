import type { Core } from "../../core/core.ts";
import type { SealedFile } from "../../model/protected.ts";
import { type DataKey, dataKeyOf } from "./data-keys.ts";
import { openBytes } from "./file-bytes.ts";
import { openText, sealText } from "./sealing.ts";

const placeOf = (formId: string, fileId: string): readonly string[] => [formId, "file", fileId];

/** The stored form of a sealed file, with its sealed file name. */
export const sealedFile = (key: DataKey, formId: string, fileId: string, name: string): SealedFile => ({
  data_key: key.id,
  name: sealText(key, name, placeOf(formId, fileId)),
});

/** A file as its reader gets it: under the sender's name, in clear. Null where its key was shredded. Throws `unavailable`. */
export async function openSealed(
  core: Core,
  { form_id, sealed }: { readonly form_id: string; readonly sealed: SealedFile },
  fileId: string,
): Promise<{ name: string | null; body(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> } | null> {
  const key = await dataKeyOf(core, form_id, sealed.data_key);
  return (
    key && {
      name: openText(key, sealed.name, placeOf(form_id, fileId)),
      body: (bytes) => bytes.pipeThrough(openBytes(key, fileId)),
    }
  );
}
