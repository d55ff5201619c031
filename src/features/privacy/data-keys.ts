import { randomBytes } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, remove, retrying } from "../../core/rows.ts";
import { StaleWriteError, type Stored, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import { block, nullable, text, time } from "../../lib/leaves.ts";
import { createLru } from "../../lib/lru.ts";
import type { MarkId } from "../../model/marks.ts";
import { unwrap, type Wrapped, wrap, wrappedBy } from "./wrapping.ts";

/** A form's data key, which seals the values and files of its protected fields. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface Shredded {
  /** The form. */
  id: string;
  /** Always true. */
  shredded: true;
}

/** It is separate from the form, whose submissions outlive it. */
interface KeyMark extends Wrapped {
  expires_at: string | null;
  id: string;
  by: string;
  wrapped: string;
}

const keyMarkLeaf = block<KeyMark>({ expires_at: nullable(time()), id: text(), by: text(""), wrapped: text() });
const markOf = (formId: string): MarkId => `data-key:${formId}`;

/** Within this time a process notices that another one has shredded a key. */
const KNOWN_MS = 2_000;
const KEPT = 1_000;

interface Known {
  readonly row: Stored<KeyMark> | null;
  readonly until: number;
}

const memory = perBackend(() => ({
  rows: createLru<Known>(KEPT),
  /** Keys that were shredded, by form and id: another form's row may name a key that its own form still has. */
  gone: createLru<true>(KEPT),
  /** The wrapping of the key. */
  keys: createLru<Promise<Uint8Array>>(KEPT),
  making: new Map<string, Promise<DataKey>>(),
}));

/** The key that seals new data of a form, created if there is none. Throws `unavailable`. */
export async function dataKeyFor(core: Core, formId: string): Promise<DataKey> {
  const row = await rowOf(core, formId);
  if (row) return keyIn(core, formId, row);
  const { making } = memory(core);
  const running = making.get(formId) ?? make(core, formId).finally(() => making.delete(formId));
  making.set(formId, running);
  return running;
}

/** The key that sealed something of a form; null once it is shredded. Throws `unavailable`. */
export async function dataKeyOf(core: Core, formId: string, id: string): Promise<DataKey | null> {
  const { gone } = memory(core);
  const goneId = `${formId} ${id}`;
  if (gone.get(goneId)) return null;
  let row = await rowOf(core, formId);
  // A key exists before anything is sealed with it: an unknown one is newer than our cache, or deleted for good.
  if (row?.value.id !== id) row = await readRow(core, formId);
  if (row?.value.id === id) return keyIn(core, formId, row);
  gone.set(goneId, true);
  return null;
}

/**
 * Removes a form's data key, so nothing that it sealed can be read any more. Throws `form_not_found` if there is neither form
 * nor key.
 */
export async function shredDataKey(core: Core, formId: string): Promise<Shredded> {
  const known = await core.rows.mark(markOf(formId), keyMarkLeaf);
  if (!known && !(await core.rows.get("forms", formId))) throw new ApiError("form_not_found");
  await core.commitNow([dataKeyRemoval(formId)]);
  forget(core, formId, known);
  await core.storage.scrub?.();
  return { id: formId, shredded: true };
}

/** The write that removes a form's data key, where nothing is left that it sealed. */
export const dataKeyRemoval = (formId: string): Write => remove("marks", markOf(formId));

function forget(core: Core, formId: string, row: Stored<KeyMark> | null): void {
  const { rows, keys } = memory(core);
  const cached = rows.take(formId)?.row;
  for (const one of [row, cached]) if (one) keys.take(one.value.wrapped);
}

async function rowOf(core: Core, formId: string): Promise<Stored<KeyMark> | null> {
  const known = memory(core).rows.get(formId);
  return known && core.clock.now() < known.until ? known.row : readRow(core, formId);
}

async function readRow(core: Core, formId: string): Promise<Stored<KeyMark> | null> {
  const { rows } = memory(core);
  const known = rows.get(formId);
  const row = await core.rows.mark(markOf(formId), keyMarkLeaf);
  if (known?.row && known.row.value.id !== row?.value.id) forget(core, formId, known.row);
  rows.set(formId, { row, until: core.clock.now() + KNOWN_MS });
  return row;
}

async function keyIn(core: Core, formId: string, row: Stored<KeyMark>): Promise<DataKey> {
  const { keys } = memory(core);
  const { id, wrapped } = row.value;
  const known = keys.get(wrapped);
  if (known) return { id, bytes: await known };
  const bytes = unwrap(core, row.value);
  keys.set(wrapped, bytes);
  try {
    const key = { id, bytes: await bytes };
    if (row.value.by !== wrappedBy(core)) await rewrap(core, formId, row, key.bytes);
    return key;
  } catch (error) {
    // The next caller tries again.
    keys.take(wrapped);
    throw error;
  }
}

/** A key that an older one of the host's wraps is wrapped by the first, so that the older one can be taken away some day. */
async function rewrap(
  core: Core,
  formId: string,
  { value, version }: Stored<KeyMark>,
  bytes: Uint8Array,
): Promise<void> {
  try {
    const next = { ...value, ...(await wrap(core, bytes)) };
    await core.commitNow([put("marks", markOf(formId), next, version)]);
    memory(core).rows.take(formId);
  } catch (error) {
    // It can be opened as it is; `wrap` has logged why not.
    if (!(error instanceof StaleWriteError || error instanceof ApiError)) throw error;
  }
}

async function make(core: Core, formId: string): Promise<DataKey> {
  return retrying(async () => {
    const there = await core.rows.mark(markOf(formId), keyMarkLeaf);
    if (there) return keyIn(core, formId, there);
    const key: DataKey = { id: prefixedId("dk"), bytes: new Uint8Array(randomBytes(32)) };
    const value: KeyMark = { expires_at: null, id: key.id, ...(await wrap(core, key.bytes)) };
    await core.commitNow([put("marks", markOf(formId), value, null)]);
    const { rows, keys } = memory(core);
    rows.take(formId);
    keys.set(value.wrapped, Promise.resolve(key.bytes));
    return key;
  });
}
