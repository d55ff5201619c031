import { defineNitroConfig } from "nitro/config";

export default defineNitroConfig({
  compatibilityDate: "2026-01-01",
  serverDir: ".",
  // Where the forms lie: files here, or whatever else Nitro's storage speaks.
  storage: { forms: { driver: "fs", base: process.env.DATA_DIR ?? "data" } },
});
