import type { Core } from "../../core/core.ts";
import { isAllowed } from "../../core/options/files.ts";
import type { Plan } from "../../core/options/plans.ts";
import type { Row } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import { policyOf } from "../../model/field-policy.ts";
import { labelOf } from "../../model/form-record.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import { cleanName } from "../files/name.ts";
import { passesScan } from "../files/scan.ts";
import { sniff } from "../files/sniff.ts";
import { announce, blobDown, discard, isUnderWay } from "../files/store.ts";
import { dataKeyFor } from "../privacy/data-keys.ts";
import { sealBytes } from "../privacy/file-bytes.ts";
import { sealedFile } from "../privacy/files.ts";
import { cachedTeam, knownTeam, planOf } from "../teams/service.ts";
import { claimedFile } from "./direct.ts";
import { type Claim, fieldName, type PostedFiles } from "./fields.ts";
import { incoming, refusal, type Tally } from "./incoming.ts";

/** A file as it arrives. */
export interface Upload {
  /** The name of the form's field. */
  readonly key: string;
  /** The sender's name for it. */
  readonly name: string;
  /** The sender's media type for it. */
  readonly declared: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The files of one post: counted and stored as they arrive, and taken away again unless a submission was committed with them. */
export interface Uploads extends PostedFiles {
  /** The file inputs of the form, as far as they have arrived, with how many files came by each, refused ones included. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Number of files that the plan allows, null if unlimited. */
  readonly maxFiles: number | null;
  /** True if a file has begun to arrive. */
  hasBegun(): boolean;
  /**
   * Stores one file; one without content is none, for that is how an empty file input arrives.
   * Throws `plan_restricted`, `too_many_files`, `payload_too_large`, `file_type_not_allowed`, `unavailable`.
   */
  take(upload: Upload): Promise<void>;
  /**
   * Takes files that their sender has put into the store itself. Throws `invalid_parameter`, `plan_restricted`, `too_many_files`,
   * `payload_too_large`, `file_type_not_allowed`, `unavailable`.
   */
  claim(claims: readonly Claim[]): Promise<void>;
  /** Has every file scanned, where the host does that. Throws `file_type_not_allowed`, `unavailable`. */
  scan(): Promise<void>;
  /** Await it at the end in any case. Removes files that were not kept; never throws. */
  close(): Promise<void>;
}

/** The files of a post to a form, under the limits of its team's plan. */
export async function openUploads(core: Core, form: Row<"forms">): Promise<Uploads> {
  return knownUploads(core, form) ?? collectUploads(core, form, await planOfForm(core, form));
}

/** The same, where the team is known at once; null says nothing. */
export function knownUploads(core: Core, form: Row<"forms">): Uploads | null {
  const team = knownTeam(core, form.value.team_id);
  return team && collectUploads(core, form, withinBlob(core, planOf(core, team.value)));
}

/** The limits for the files of a form. Throws `form_inactive`. */
export async function planOfForm(core: Core, { value }: Row<"forms">): Promise<Plan> {
  const team = await cachedTeam(core, value.team_id);
  if (!team) throw new ApiError("form_inactive");
  return withinBlob(core, planOf(core, team.value));
}

/** The plan, with the limit of the place for files where that is lower. */
function withinBlob(core: Core, plan: Plan): Plan {
  const { maxBytes = Number.POSITIVE_INFINITY } = core.blob;
  return maxBytes < (plan.max_file_size ?? Number.POSITIVE_INFINITY) ? { ...plan, max_file_size: maxBytes } : plan;
}

function collectUploads(core: Core, row: Row<"forms">, plan: Plan): Uploads {
  const { id: formId, value: form } = row;
  const policies = form.settings.fields;
  const label = labelOf(form);
  const { allowedTypes } = core.options.files;
  const list: StoredFile[] = [];
  const keys: string[] = [];
  const digests: string[] = [];
  const written: string[] = [];
  const inputs = new Map<string, number>();
  const tally: Tally = { count: 0, bytes: 0 };
  let state: "ours" | "refused" | "doubtful" | "kept" = "ours";

  return {
    list,
    keys,
    inputs,
    maxFiles: plan.max_files,
    hasBegun: () => tally.count > 0,
    fingerprint: () => digests.join(),
    async take(upload) {
      const chunks = upload.content[Symbol.asyncIterator]();
      try {
        await store(upload, chunks);
      } catch (error) {
        // Not awaited: if the sender has stalled, it never settles.
        void chunks.return?.().catch(() => {});
        throw error;
      }
    },
    async claim(claims) {
      for (const claim of claims) {
        if (keys.length > 0 && list.some(({ file_id }) => file_id === claim.upload))
          throw wrongParameter(`_upload.${claim.key}`, "names the same upload twice");
        const file = await claimedFile(core, row, plan, tally, claim);
        list.push(file);
        keys.push(file.key);
        inputs.set(file.key, (inputs.get(file.key) ?? 0) + 1);
        digests.push(JSON.stringify([file.key, file.name, file.file_id]));
      }
    },
    async scan() {
      for (const file of list) {
        if (!(await passesScan(core, formId, file)))
          throw refusal("file_type_not_allowed", file.key, ({ files }) => files.virus({ field: label(file.key) }));
      }
    },
    async keep(commit) {
      try {
        await commit();
        state = "kept";
      } catch (error) {
        // Another post has claimed the same upload meanwhile.
        if (error instanceof StaleWriteError && error.collection === "files") {
          throw wrongParameter(
            "_upload",
            "names an upload that another post has claimed; upload the file again",
            error,
          );
        }
        state = isUnderWay(error) ? "doubtful" : "refused";
        throw error;
      }
    },
    async close() {
      // Bytes of a commit that may still come stay: the sweep finds them by their mark.
      if (state === "kept" || state === "doubtful" || written.length === 0) return;
      const named = state === "refused" ? await core.storage.get("files", written).catch(() => null) : new Map();
      // Until that is known, they stay: the sweep finds them by their mark.
      const ours = named ? written.filter((id) => !named.has(id)) : [];
      await discard(core, ours);
    },
  };

  async function store(upload: Upload, chunks: AsyncIterator<Uint8Array>): Promise<void> {
    const key = fieldName(upload.key);
    const before = inputs.get(key) ?? 0;
    inputs.set(key, before);
    const counted = tally.count;
    const file = incoming({ key, field: label(key) }, chunks, plan, tally);
    const head = await file.head().finally(() => inputs.set(key, before + tally.count - counted));
    if (head.length === 0) return;
    const { more, final, ...guess } = await sniff(head, upload.name, upload.declared);
    if (!more) assertAllowed(key, guess.mime);

    const stored = policyOf(policies, key)?.store ?? "plain";
    const place = stored === "drop" || stored === "hash" ? null : prefixedId("file");
    const dataKey = stored === "encrypt" ? await dataKeyFor(core, formId) : null;
    let size = 0;
    const body = file.body((chunk) => {
      size += chunk.length;
      more?.(chunk);
    });
    if (place) await write(place, dataKey ? body.pipeThrough(sealBytes(dataKey, place)) : body);
    else for await (const _ of body);
    const { mime, ext } = final();
    assertAllowed(key, mime);
    const name = cleanName(upload.name, ext);
    keys.push(key);
    digests.push(JSON.stringify([key, name, file.digest()]));
    if (!place) return;
    const plain = { key, file_id: place, mime_type: mime, size };
    // Its name is in links, and links are in logs.
    if (!dataKey) list.push({ ...plain, name });
    else list.push({ ...plain, name: cleanName("", ext), sealed: sealedFile(dataKey, formId, place, name) });

    async function write(id: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
      await announce(core, id);
      written.push(id);
      await core.blob.put(id, bytes, { mimeType: guess.mime }).catch((cause: unknown) => {
        throw file.fault() ?? blobDown(core, cause);
      });
    }
  }

  function assertAllowed(key: string, mime: string): void {
    if (!isAllowed(allowedTypes, mime))
      throw refusal("file_type_not_allowed", key, ({ files }) => files.type({ field: label(key) }));
  }
}
