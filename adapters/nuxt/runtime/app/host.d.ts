/** Names that Nuxt defines in the host's build. */
declare module "#build/form-backend.mjs" {
  export const path: string;
}

declare module "#imports" {
  export function useRuntimeConfig(): { app: { baseURL: string } };
}
