import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A fresh directory that goes when the test file is done. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-storage-"));
  made.push(directory);
  return directory;
}
