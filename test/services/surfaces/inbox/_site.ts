import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type InboxOptions, inbox } from "../../../../src/surfaces/inbox/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Site, startSite } from "../../features/pages/_site.ts";

/** An inbox on a real port, with a form that has seen everything. */
export interface InboxSite extends Site {
  readonly formId: string;
  /** A form that asks for a confirmation, and a submission that waits for one. */
  readonly waitingFormId: string;
  readonly waitingId: string;
  readonly keyId: string;
  readonly serverId: string;
  readonly replyId: string;
  /** Newest first. */
  readonly ids: readonly string[];
  /** A page in a context of its own, which notes what breaks the policy. */
  open(browser: Browser, options?: BrowserContextOptions): Promise<Opened>;
}

export interface Opened {
  readonly page: Page;
  /** What the browser refused, and dialogs that a script opened. */
  readonly faults: string[];
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

const LONG = `${"A text that goes on ".repeat(30)}${"Unbreakable".repeat(40)}`;
const messages = [
  "Do you deliver on Sundays?",
  "Order 17: the cake was wonderful.",
  "<script>alert(1)</script>",
  "مرحبا، هل تقومون بالتوصيل؟",
  LONG,
];

export async function startInbox(options: InboxOptions = {}, more: TestBackendOptions = {}): Promise<InboxSite> {
  const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" } as const;
  const site = await startSite({
    ...more,
    inbox: inbox({ authenticate: () => ({ ...ann, team_ids: ["default"] }), ...options }),
  });
  const { backend } = site;
  const form = await backend.forms.create({ name: "Contact" });
  await backend.forms.create({ name: LONG.slice(0, 128), active: false });
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const files = i % 4 === 0 ? [{ key: "photo", name: "cake.png", content: PNG }] : [];
    const fields = {
      name: ["Ann", "محمد", "<b>Bo</b>"][i % 3] ?? "",
      email: `person${i}@example.com`,
      message: messages[i % messages.length] ?? "",
      empty: "",
    };
    ids.unshift((await backend.submit(form.id, { fields, files, referer: "https://example.com/contact" })).id);
    await backend.clock.advance(60_000);
  }
  await backend.submissions.update(form.id, ids[11] ?? "", { spam: true });
  const waiting = await backend.forms.create({ name: "Newsletter" });
  await backend.forms.update(waiting.id, { settings: { double_opt_in: { enabled: true, field: "email" } } });
  const { id: waitingId } = await backend.submit(waiting.id, {
    fields: { name: "<b>Bo</b>", email: "bo@example.com", message: LONG },
  });
  await backend.clock.advance(60_000);
  const { id: keyId } = await backend.keys.create({ name: LONG.slice(0, 128), scopes: "all" });
  await backend.keys.revoke((await backend.keys.create({ name: "<b>Old</b>", scopes: ["forms:read"] })).id);
  const { id: serverId } = await backend.emailServers.create({
    name: LONG.slice(200, 328),
    host: `${"long-name.".repeat(12)}example.com`,
    port: 587,
    from: "Corner Bakery <hello@bakery.example>",
  });
  await backend.suppressions.add({ email: `${"long-name.".repeat(6)}bo@example.com` });
  const { id: replyId } = await backend.savedReplies.create({ name: LONG.slice(0, 128), text: LONG });
  return {
    ...site,
    replyId,
    formId: form.id,
    waitingFormId: waiting.id,
    waitingId,
    keyId,
    serverId,
    ids,
    async open(browser, more = {}) {
      const context = await browser.newContext(more);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("console", (message) => {
        // Browsers ask for an icon by themselves.
        if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) faults.push(message.text());
      });
      page.on("pageerror", (error) => void faults.push(error.message));
      page.on("dialog", (dialog) => {
        faults.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      return {
        page,
        faults,
        go: async (path) => void (await page.goto(`${backend.baseUrl}/inbox${path}`)),
        close: () => context.close(),
      };
    },
  };
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
