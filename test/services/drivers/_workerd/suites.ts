import { DurableObject } from "cloudflare:workers";
import { durableObjectBlob } from "../../../../src/drivers/blob/durable-object.ts";
import { type R2BucketLike, r2Blob } from "../../../../src/drivers/blob/r2.ts";
import { durableObjectStorage } from "../../../../src/drivers/storage/durable-object.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";

interface Env {
  readonly SUITES: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
  readonly FILES: R2BucketLike;
}

/** Runs one case of a suite per request, in the object: each with tables of its own. */
export class Suites extends DurableObject<Env> {
  async fetch(request: Request): Promise<Response> {
    const [, suite = "", index = ""] = new URL(request.url).pathname.split("/");
    const { storage } = this.ctx;
    const prefix = `p${index}_`;
    const cases: Record<string, readonly { name: string; run(): Promise<void> }[]> = {
      storage: storageSuite.map(({ name, run }) => ({
        name,
        run: () => run(() => durableObjectStorage(storage, { prefix })),
      })),
      blob: blobSuite.map(({ name, run }) => ({ name, run: () => run(() => durableObjectBlob(storage, { prefix })) })),
      r2: blobSuite.map(({ name, run }) => ({ name, run: () => run(() => r2Blob(this.env.FILES, { prefix })) })),
    };
    const all = cases[suite] ?? [];
    if (index === "") return Response.json(all.map(({ name }) => name));
    try {
      await all[Number(index)]?.run();
      return Response.json({ ok: true });
    } catch (error) {
      return Response.json({ ok: false, error: String((error as Error).stack ?? error) });
    }
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.SUITES.get(env.SUITES.idFromName(new URL(request.url).pathname)).fetch(request),
};
