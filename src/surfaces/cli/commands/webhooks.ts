import type { Register } from "../declare.ts";
import { findForm, findWebhook } from "../find.ts";
import { progress } from "../progress.ts";
import { moment } from "../values.ts";

/** `webhooks backfill`. */
export const webhookCommands: Register = (program, { http, action, io }) => {
  const webhooks = program.command("webhooks").description("Fill webhooks with what came before.");
  http(webhooks.command("backfill").description("Send a webhook each submission that it has not had, oldest first."))
    .argument("<form>", "id or key")
    .argument("<webhook>", "id or description of the webhook")
    .option("--since <time>", "only those from then on: 24h, 7d or 2026-01-31", moment(io.now))
    .action(
      action(async ({ client, show }, form: string, name: string, { since }: { since?: string }) => {
        const api = client();
        const found = await findForm(api, form);
        const target = { form_id: found.id, webhook_id: findWebhook(found, name).id };
        const shown = progress(io, "deliveries queued");
        let queued = 0;
        for (let more = true; more; ) {
          const result = await api.backfillWebhook(
            { ...target, ...(since && { created_after: since }) },
            { signal: io.signal },
          );
          queued += result.queued;
          more = result.has_more;
          shown.update(String(queued));
        }
        shown.end();
        await show({ queued });
      }),
    );
};
