import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { TemplateError } from "../../lib/template.ts";

/** Errors that are kept; the oldest make room. */
const MAX_KEPT = 1_000;

const keptOf = perBackend(() => new Map<string, TemplateError>());

/**
 * Renders a mail, unless the same templates failed with the same submission before: ten recipients and their retries would each
 * use up the whole budget of a mail. `key` names templates and submission. Throws what `render` throws.
 */
export async function unlessFailed<T>(core: Core, key: string, render: () => Promise<T>): Promise<T> {
  const kept = keptOf(core);
  const known = kept.get(key);
  if (known) throw known;
  try {
    return await render();
  } catch (error) {
    if (error instanceof TemplateError) {
      kept.set(key, error);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    }
    throw error;
  }
}
