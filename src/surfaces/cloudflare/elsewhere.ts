/** In place of `index.ts` where the export condition `workerd` is not set; it has the same names, so that an import of one gets this far. */
const elsewhere = (): never => {
  throw new Error(
    "[form-backend] form-backend/cloudflare runs on Cloudflare Workers alone: build the file that imports it with wrangler, or import `createFormBackend` from form-backend on Node, Bun and Deno",
  );
};

export const backendOf = elsewhere;
export const cloudflareMailer = elsewhere;
export const durableObjectStorage = elsewhere;
export const formBackendObject = elsewhere;
export const formBackendWorker = elsewhere;
export const r2Blob = elsewhere;

elsewhere();
