import { path } from "#build/form-backend.mjs";
import { useRuntimeConfig } from "#imports";

/**
 * The address that a form posts to, as a path of this app.
 *
 * @example
 * <form method="post" :action="useFormEndpoint('Ab3…')">
 */
export function useFormEndpoint(formId: string): string {
  return `${useRuntimeConfig().app.baseURL.replace(/\/$/, "")}${path}/f/${encodeURIComponent(formId)}`;
}
