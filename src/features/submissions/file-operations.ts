import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { memberOperation } from "../../core/member-operation.ts";
import { ApiError } from "../../errors.ts";
import type { FileStream } from "../../lib/response.ts";
import { canZip, type Entry, zipOf } from "../../lib/zip.ts";
import type { Caller } from "../../model/keys.ts";
import type { Redaction } from "../../model/redaction.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import { viewedAs } from "../../model/viewed-files.ts";
import { openFile } from "../files/store.ts";
import { shownTo } from "../privacy/shown.ts";

/** The files of a submission at a page: each is named by its id, and those that are kept from the person are not there. */
export const fileOperations = {
  /** A file to show. Throws `not_found` for one that only a download is safe for. */
  viewFile: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    redacts: true,
    body: z.strictObject({ id: z.string(), file_id: z.string() }),
    handler: async ({ core, caller, form_id, redaction, body: { id, file_id } }): Promise<FileStream> => {
      const files = await filesOf(core, caller, { id, form_id }, redaction);
      const file = files.find((one) => one.file_id === file_id);
      const content_type = file && viewedAs(file);
      const opened = content_type ? await openFile(core, file_id) : null;
      if (!content_type || !opened) throw new ApiError("not_found");
      return { stream: opened.body, content_type, file_name: opened.record.name };
    },
  }),
  /** All files of a submission as a zip, which is read while it is sent. Throws `scan_concurrency`. */
  zipFiles: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    redacts: true,
    body: z.strictObject({ id: z.string() }),
    handler: async ({ core, caller, form_id, redaction, body: { id } }): Promise<FileStream> => {
      const files = await filesOf(core, caller, { id, form_id }, redaction);
      if (files.length === 0) throw new ApiError("not_found");
      await assertZips();
      const release = takeScan(core, caller, "long");
      try {
        const stream = await zipOf(entries(core, files), "the download of all files", release);
        return { stream, content_type: "application/zip", file_name: `files-${id}.zip` };
      } catch (error) {
        release();
        throw error;
      }
    },
  }),
};

/** Throws `invalid_parameter` where the host has not installed the package for zips, of which workbooks are a kind. */
export async function assertZips(): Promise<void> {
  if (await canZip()) return;
  const message =
    "This server can't write zips and files for Excel: its administrator has to install the package yazl.";
  throw new ApiError("invalid_parameter", { param: "format", message });
}

async function filesOf(
  core: Core,
  caller: Caller,
  { id, form_id }: { readonly id: string; readonly form_id: string },
  redaction: Redaction | null,
): Promise<readonly StoredFile[]> {
  const row = (await core.rows.get("submissions", id)) ?? (await core.rows.get("trashed_submissions", id));
  if (row?.value.form_id !== form_id) throw new ApiError("submission_not_found");
  const [seen] = await shownTo(core, caller, [row]);
  return seen ? (redaction?.record(seen.value) ?? seen.value).attachments : [];
}

/** The files under names of their own. Those whose bytes are gone are named in a text, so that nobody misses one without knowing. */
async function* entries(core: Core, files: readonly StoredFile[]): AsyncGenerator<Entry> {
  const taken = new Set<string>();
  const gone: string[] = [];
  for (const { file_id } of files) {
    const opened = await openFile(core, file_id);
    if (opened) yield { name: nameIn(taken, opened.record.name), content: opened.body as AsyncIterable<Uint8Array> };
    else gone.push(file_id);
  }
  if (gone.length > 0) yield { name: nameIn(taken, "missing.txt"), content: `${gone.join("\n")}\n` };
}

/** The name of a file in the archive; the second of a name is `name (2).pdf`. */
function nameIn(taken: Set<string>, name: string): string {
  const dot = name.lastIndexOf(".");
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let n = 1; ; n++) {
    const one = n === 1 ? name : `${stem} (${n})${end}`;
    if (taken.has(one.toLowerCase())) continue;
    taken.add(one.toLowerCase());
    return one;
  }
}
