import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Folders whose objects are made anew for each post or delivery. */
const folders = [
  "src/features/intake",
  "src/core/http",
  "src/features/spam",
  "src/features/jobs",
  "src/features/webhooks",
  "src/features/deliveries",
];
/** Only posts that name their form in the body make one. */
const exempt = ["src/features/intake/late-uploads.ts"];

const GETTER = /^\s*(?:get|set) \w+\(/m;

describe("object literals of posts and deliveries", () => {
  // V8 makes a hidden class for each such literal, and keeps the getter's surroundings until a full collection: 3 KB of every post.
  it("have methods in the place of getters", () => {
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => join(folder, file)),
    );
    expect(files.length).toBeGreaterThan(folders.length);
    const found = files.filter((file) => GETTER.test(readFileSync(file, "utf8")));
    expect(found).toEqual(exempt);
  });
});
