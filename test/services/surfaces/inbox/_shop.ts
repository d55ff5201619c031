import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { formBackend } from "../../../../adapters/node.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import {
  createTestBackend,
  type TestBackend,
  type TestBackendOptions,
} from "../../../../src/surfaces/testing/backend.ts";

const HOUR = 3_600_000;
const LONG = `${"unbreakable".repeat(30)} ${"and a sentence that goes on ".repeat(30)}`;
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e`;

/** A form with everything that its deliveries, webhooks and spam can show, on a real port, for a user who is signed in. */
export interface Shop {
  readonly backend: TestBackend;
  readonly form: string;
  readonly webhook: string;
  readonly failing: string;
  /** In the inbox, with deliveries that failed. */
  readonly message: string;
  /** Two that were taken for spam. */
  readonly spam: readonly string[];
  readonly delivery: string;
  /** The address of a page of the inbox. */
  at(path: string): string;
  close(): Promise<void>;
}

/** Starts a shop. */
export async function openShop(more: TestBackendOptions = {}): Promise<Shop> {
  let serve: ReturnType<typeof formBackend> | undefined;
  const server = createServer((request, response) =>
    request.url === "/favicon.ico" ? response.writeHead(204).end() : serve?.(request, response),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}/forms`;
  const backend = createTestBackend({
    ...more,
    baseUrl,
    rateLimit: false,
    plans: { unlimited: { webhooks_per_form: null } },
    inbox: inbox({
      authenticate: () => ({ id: "ann", name: "Ann", team_ids: ["default"], role: "editor" as const }),
    }),
  });
  serve = formBackend(backend);
  const { id: form } = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
  });
  const ok = await backend.webhooks.create(form, { url: "https://hooks.example.com/crm", description: "CRM" });
  const bad = await backend.webhooks.create(form, { url: `https://hooks.example.com/${"a-long-path/".repeat(12)}` });
  const chat = await backend.webhooks.create(form, {
    url: "https://hooks.slack.com/services/T000/B000/verysecret",
    format: "slack",
    description: HOSTILE,
  });
  await backend.webhooks.update(form, chat.id, { enabled: false });
  backend.answerWebhooks(({ url }) => (url.includes("a-long-path") ? 500 : 200));
  const post = async (fields: Record<string, string>): Promise<string> => {
    const { id } = await backend.submit(form, { fields });
    await backend.clock.advance(1_000);
    return id;
  };
  const spam = [
    await post({ email: "x@example.com", message: `Best casino bonus, [url=http://a.example]now[/url] ${HOSTILE}` }),
    await post({ email: "y@example.com", message: "More casino bonus [url=http://a.example]now[/url]" }),
  ];
  await post({ name: HOSTILE, message: LONG, arabic: "مرحبا، هل توصلون يوم الأحد؟" });
  const message = await post({ email: "bo@example.com", message: "Do you deliver on Sunday?" });
  await backend.clock.advance(2 * HOUR);
  const job = (await backend.jobs.list({ submission_id: message })).find(({ target }) => target === bad.id);
  return {
    backend,
    form,
    webhook: ok.id,
    failing: bad.id,
    message,
    spam,
    delivery: job?.id ?? "",
    at: (path) => `${baseUrl}/inbox/f/${form}${path}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await backend.close();
    },
  };
}
