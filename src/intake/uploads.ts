import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { cleanName } from "../files/name.ts";
import { isAllowed } from "../files/options.ts";
import { passesScan } from "../files/scan.ts";
import { sniff } from "../files/sniff.ts";
import { announce, blobDown, discard } from "../files/store.ts";
import type { FormRecord } from "../forms/schema.ts";
import { prefixedId } from "../lib/id.ts";
import type { StoredFile } from "../submissions/schema.ts";
import type { Plan } from "../teams/plans.ts";
import { cachedTeam, planOf } from "../teams/service.ts";
import { fieldName, type PostedFiles } from "./fields.ts";
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
  /** How many files the plan takes, null where it does not say. */
  readonly maxFiles: number | null;
  /** Whether a file has begun to arrive. */
  readonly begun: boolean;
  /**
   * Stores one file; one without content is none, for that is how an empty file input arrives.
   * Throws `plan_restricted`, `too_many_files`, `payload_too_large`, `file_type_not_allowed`, `unavailable`.
   */
  take(upload: Upload): Promise<void>;
  /** Has every file scanned, where the host does that. Throws `file_type_not_allowed`, `unavailable`. */
  scan(): Promise<void>;
  /** To be awaited at the end whatever happened. Removes what was not kept; never throws. */
  close(): Promise<void>;
}

/** The files of a post to a form, under the limits of its team's plan. */
export async function openUploads(core: Core, { id, value }: Stored<FormRecord>): Promise<Uploads> {
  const team = await cachedTeam(core, value.team_id);
  if (!team) throw new ApiError("form_inactive");
  return collectUploads(core, id, planOf(core, team.value));
}

function collectUploads(core: Core, formId: string, plan: Plan): Uploads {
  const { allowedTypes } = core.options.files;
  const list: StoredFile[] = [];
  const digests: string[] = [];
  const written: string[] = [];
  const inputs = new Map<string, number>();
  const tally: Tally = { count: 0, bytes: 0 };
  let state: "ours" | "doubtful" | "kept" = "ours";

  return {
    list,
    inputs,
    maxFiles: plan.max_files,
    get begun() {
      return tally.count > 0;
    },
    get fingerprint() {
      return digests.join();
    },
    async take(upload) {
      const chunks = upload.content[Symbol.asyncIterator]();
      try {
        await store(upload, chunks);
      } catch (error) {
        // Not awaited: behind a sender that has stalled it never settles.
        void chunks.return?.().catch(() => {});
        throw error;
      }
    },
    async scan() {
      for (const file of list) {
        if (!(await passesScan(core, formId, file)))
          throw refusal("file_type_not_allowed", file.key, "was refused by the virus scanner");
      }
    },
    async keep(commit) {
      try {
        await commit();
        state = "kept";
      } catch (error) {
        // A connection that broke during the commit leaves open whether it happened.
        state = "doubtful";
        throw error;
      }
    },
    async close() {
      if (state === "kept" || written.length === 0) return;
      const named = state === "doubtful" ? await core.storage.get("files", written).catch(() => null) : new Map();
      // While nobody can say, they stay: the sweep finds them by their mark.
      const ours = named ? written.filter((id) => !named.has(id)) : [];
      await discard(core, ours);
    },
  };

  async function store(upload: Upload, chunks: AsyncIterator<Uint8Array>): Promise<void> {
    const key = fieldName(upload.key);
    const before = inputs.get(key) ?? 0;
    inputs.set(key, before);
    const counted = tally.count;
    const file = incoming(key, chunks, plan, tally);
    const head = await file.head().finally(() => inputs.set(key, before + tally.count - counted));
    if (head.length === 0) return;
    const { more, final, ...guess } = await sniff(head, upload.name, upload.declared);
    if (!more) assertAllowed(key, guess.mime);

    const id = prefixedId("file");
    await announce(core, id);
    written.push(id);
    const { size } = await core.blob.put(id, file.body(more), { mimeType: guess.mime }).catch((cause: unknown) => {
      throw file.fault ?? blobDown(core, cause);
    });
    const { mime, ext } = final();
    assertAllowed(key, mime);
    const name = cleanName(upload.name, ext);
    list.push({ key, file_id: id, name, mime_type: mime, size });
    digests.push(JSON.stringify([key, name, file.digest()]));
  }

  function assertAllowed(key: string, mime: string): void {
    if (!isAllowed(allowedTypes, mime))
      throw refusal("file_type_not_allowed", key, "is of a type that this form does not accept");
  }
}
