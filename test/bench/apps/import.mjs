// Imports one module and says what that took: milliseconds, and resident bytes more than before.
import { report } from "./report.mjs";

const before = process.memoryUsage().rss;
const started = performance.now();
await import(process.env.MODULE);
report({ ms: performance.now() - started, bytes: process.memoryUsage().rss - before });
