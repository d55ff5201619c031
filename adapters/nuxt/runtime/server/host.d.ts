/** The user's server file, by the alias that the module sets. */
declare module "#form-backend" {
  const backend: import("../../../../src/index.ts").FormBackend;
  export default backend;
}

interface ImportMeta {
  readonly dev?: boolean;
  readonly prerender?: boolean;
}
