// Imported as a whole: with a missing name, the import would fail with a SyntaxError before our own check runs.
import zlib from "node:zlib";

/** Throws if this Node is too old. Without it, you would get the error of the first missing feature. */
export function assertNode(has: object = { ...zlib }, version = process.version): void {
  if ("crc32" in has) return;
  throw new Error(
    `[form-backend] this is Node ${version}, and form-backend needs 20.19, or 22.2 and newer: update Node, for example to the latest LTS`,
  );
}
