import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { fsBlob } from "../../src/drivers/blob/fs.ts";
import type { TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { type Harness, harness } from "./backend.ts";

export interface FileHarness extends Harness {
  /** Names of the blobs that are there, half-written ones included. */
  blobs(): string[];
}

/** A backend that keeps blobs as files in a directory of the test's own. */
export function fileHarness(options: TestBackendOptions = {}): FileHarness {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-files-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return Object.assign(harness({ blob: fsBlob({ dir }), ...options }), {
    blobs: () => readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name !== ".partial"),
  });
}

/** A multipart body as browsers build it: text, or a file of a name and its content. */
export function formData(
  parts: [key: string, value: string | [name: string, content: string | Uint8Array, type?: string]][],
): FormData {
  const form = new FormData();
  for (const [key, value] of parts) {
    if (typeof value === "string") form.append(key, value);
    else form.append(key, new File([value[1] as Uint8Array<ArrayBuffer>], value[0], { type: value[2] ?? "" }));
  }
  return form;
}

export const json = { accept: "application/json" };
