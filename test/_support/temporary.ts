import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEndOfFile } from "./cleanup.ts";

/** A fresh directory that goes when the test file is done. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-storage-"));
  atEndOfFile(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
