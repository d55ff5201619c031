import { type Command, Option } from "commander";
import type { Item } from "../../client/index.ts";
import type { Register } from "../declare.ts";
import { findForm, findWebhook } from "../find.ts";
import { progress } from "../progress.ts";
import { integer, moment } from "../values.ts";

type Delivery = Item<"listDeliveries">;
const STATES = ["succeeded", "failed", "retrying", "pending", "skipped"] as const;

/** `deliveries list|redeliver|recover`. */
export const deliveryCommands: Register = (program, { http, action, io }) => {
  const deliveries: Command = program.command("deliveries").description("Read and resend webhook deliveries.");
  const webhook = "id or description of the webhook";

  http(deliveries.command("list").description("List deliveries of a webhook, the newest first."))
    .argument("<form>", "id or key")
    .argument("<webhook>", webhook)
    .addOption(new Option("--status <status>", "only those in this state").choices([...STATES]))
    .option("--limit <number>", "how many at most", integer(1, 100_000), 25)
    .action(
      action(
        async (
          { client, list },
          form: string,
          name: string,
          options: { status?: (typeof STATES)[number]; limit: number },
        ) => {
          const api = client();
          const found = await findForm(api, form);
          const target = { form_id: found.id, webhook_id: findWebhook(found, name).id };
          const rows: Delivery[] = [];
          const page = { status: options.status, limit: Math.min(options.limit, 100) };
          for await (const row of api.listDeliveries.all({ ...target, ...page })) {
            rows.push(row);
            if (rows.length === options.limit) break;
          }
          await list(
            rows,
            [
              ["SUBMISSION", ({ submission_id }) => submission_id],
              ["TIME", ({ occurred_at }) => occurred_at.slice(0, 19).replace("T", " ")],
              ["STATE", ({ status }) => status],
              ["CODE", ({ code }) => code],
              ["MESSAGE", ({ message }) => message],
            ],
            "No deliveries found.",
          );
        },
      ),
    );

  http(deliveries.command("redeliver").description("Resend one delivery."))
    .argument("<form>", "id or key")
    .argument("<webhook>", webhook)
    .argument("<submission>", "id of the submission")
    .action(
      action(async ({ client, show }, form: string, name: string, submission_id: string) => {
        const api = client();
        const found = await findForm(api, form);
        await show(await api.redeliver({ form_id: found.id, webhook_id: findWebhook(found, name).id, submission_id }));
      }),
    );

  http(deliveries.command("recover").description("Resend all failed and skipped deliveries since a time."))
    .argument("<form>", "id or key")
    .requiredOption("--since <time>", "24h, 7d or 2026-01-31; at most 14 days ago", moment(io.now))
    .option("--webhook <webhook>", "only this webhook, by id or description")
    .action(
      action(async ({ client, show, say }, form: string, options: { since: string; webhook?: string }) => {
        const api = client();
        const found = await findForm(api, form);
        const webhooks = options.webhook === undefined ? found.webhooks : [findWebhook(found, options.webhook)];
        let recovered = 0;
        const shown = progress(io, "deliveries recovered");
        for (const { id } of webhooks) {
          for (let more = true; more; ) {
            const result = await api.recoverDeliveries(
              { form_id: found.id, webhook_id: id, since: options.since },
              { signal: io.signal },
            );
            recovered += result.recovered;
            more = result.has_more && result.recovered > 0;
            shown.update(String(recovered));
          }
        }
        shown.end();
        await show({ recovered });
        if (webhooks.length === 0) say("The form has no webhook.");
      }),
    );
};
