import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { createBackend, type FormBackend } from "../../../src/surfaces/form-backend.ts";
import { pause } from "./_workers.ts";

/** A backend in this process, with what it logs, and clients that post to one of its forms. */
export interface Loaded {
  readonly backend: FormBackend;
  readonly errors: string[];
  /** The form's id. Creates it at the first call. */
  form(): Promise<string>;
  /** One post under a key; answers the status and, where it was accepted, the id. */
  post(n: number): Promise<{ status: number; id: string | null; ms: number }>;
  /** `clients` post `total` submissions, each again and again until it is accepted. */
  load(total: number, clients: number): Promise<LoadResult>;
  /** How many posts were accepted so far, over all calls. */
  accepted(): number;
  /** Posts until one is accepted; answers how long that took. */
  recovery(n: number): Promise<number>;
  /** What is stored, by the number that was posted. */
  stored(): Promise<Map<string, string[]>>;
}

export interface LoadResult {
  /** The id that each number was accepted under. */
  readonly accepted: ReadonlyMap<number, string>;
  readonly statuses: ReadonlyMap<number, number>;
  readonly slowestMs: number;
}

export function loadedBackend(storage: StorageDriver): Loaded {
  const errors: string[] = [];
  const quiet = () => {};
  const backend = createBackend({
    baseUrl: "http://localhost/forms",
    secret: "a secret for the fault tests, 32 long",
    storage,
    mailer: memoryMailer(),
    rateLimit: false,
    logger: { debug: quiet, info: quiet, warn: quiet, error: (message) => void errors.push(message) },
  });
  let form: Promise<string> | undefined;
  let accepted = 0;
  const formId = () =>
    (form ??= backend.forms.create({ name: "F3", spam: { protection: false } }).then(({ id }) => id));

  async function post(n: number): Promise<{ status: number; id: string | null; ms: number }> {
    const started = performance.now();
    const response = await backend.fetch(
      new Request(`http://localhost/forms/f/${await formId()}`, {
        method: "POST",
        headers: { accept: "application/json", "idempotency-key": `n${n}` },
        body: new URLSearchParams({ n: String(n) }),
      }),
    );
    const { submission_id = null } = (await response.json()) as { submission_id?: string };
    if (response.ok) accepted++;
    return { status: response.status, id: response.ok ? submission_id : null, ms: performance.now() - started };
  }

  return {
    backend,
    errors,
    form: formId,
    post,
    accepted: () => accepted,
    async load(total, clients) {
      const accepted = new Map<number, string>();
      const statuses = new Map<number, number>();
      let [next, slowestMs] = [0, 0];
      const client = async (): Promise<void> => {
        for (let n = next++; n < total; n = next++) {
          while (!accepted.has(n)) {
            const { status, id, ms } = await post(n);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            slowestMs = Math.max(slowestMs, ms);
            if (id) accepted.set(n, id);
            else await pause(20);
          }
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      return { accepted, statuses, slowestMs };
    },
    async recovery(n) {
      const started = performance.now();
      while ((await post(n)).id === null) await pause(50);
      return performance.now() - started;
    },
    async stored() {
      const rows = new Map<string, string[]>();
      for (let cursor: string | null = null; ; ) {
        const page = await backend.submissions.list(await formId(), { limit: 100, ...(cursor !== null && { cursor }) });
        for (const { id, fields } of page.data) {
          const n = fields[0]?.value ?? "";
          rows.set(n, [...(rows.get(n) ?? []), id]);
        }
        cursor = page.next_cursor;
        if (cursor === null) return rows;
      }
    },
  };
}
