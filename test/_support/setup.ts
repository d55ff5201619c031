import { afterAll } from "vitest";
import { cleanUp } from "./cleanup.ts";

// Vitest runs this file before each test file, also where they share a process.
afterAll(cleanUp);
