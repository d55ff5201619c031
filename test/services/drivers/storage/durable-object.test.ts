import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { inWorkerd } from "../_workerd/cases.ts";

/** `durableObjectStorage` over the SQLite of a real Durable Object. */
await inWorkerd("storage", storageSuite);
