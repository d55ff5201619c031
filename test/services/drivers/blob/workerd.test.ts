import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";
import { inWorkerd } from "../_workerd/cases.ts";

/** `r2Blob` over miniflare's R2, and `durableObjectBlob` over the SQLite of a Durable Object. */
await inWorkerd("r2", blobSuite);
await inWorkerd("blob", blobSuite);
