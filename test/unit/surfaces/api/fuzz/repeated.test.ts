import { expect, it } from "vitest";
import { cpuTime } from "../../../../_support/cpu.ts";
import { ann, inboxHarness } from "../../inbox/_inbox.ts";

/** Pieces that expressions stop at, skip, escape, cut or look for. */
const pieces = [
  ...[" ", "\t", "\n", "\r\n", "\u00a0", "\u2028", "\u200b", "\u202e", "\0", "\u0301", "é", "א", "😀", "0", "x"],
  ...[..."!#$%&'()*+,-./:;<=>?@[]^_`{}~|\\", '"'],
  ...["a ", ".a", "a@", "@a.", "{{", "<a", "http://", "=HYPERLINK("],
];
const BYTES = 60_000;
/** As in a value, where U+0000 becomes U+FFFD. */
const sizeOf = (piece: string): number => Buffer.byteLength(piece.replaceAll("\0", "\uFFFD"));

const webhooks = {
  standard: "https://example.com/hook",
  flat: "https://example.com/flat",
  slack: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
  discord: "https://discord.com/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz",
  teams: "https://example.com/workflows/abc/triggers/manual/paths/invoke?sig=abcdefghijkl",
  telegram: "https://api.telegram.org/bot123456:abcdefghijklmnopqrstuvwxyz/sendMessage?chat_id=-1001234",
  mattermost: "https://chat.example.com/hooks/abcdefghijklmnopqrstuvwxyz",
  google_chat: "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=abcdefg&token=hijklmnop",
  ntfy: "https://ntfy.sh/topic",
} as const;

/** The CPU time of everything that happens to a post with two such values, by a piece. */
async function costs(): Promise<[piece: string, ms: number][]> {
  const b = inboxHarness({}, { rateLimit: false, plans: { unlimited: { webhooks_per_form: 20 } } });
  const { id: form } = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"], subject: "{{name}}" },
    auto_response: { enabled: true, subject: "{{name}}" },
  });
  const checks = [{ type: "not_contains" as const, value: "refused" }];
  const { id: refusing } = await b.forms.create({
    name: "Refusing",
    validation: { rules: [{ field: "email", checks }] },
  });
  for (const [format, url] of Object.entries(webhooks))
    await b.webhooks.create(form, { url, format: format as "flat" });
  const key = await b.keyWith("all");
  const owner = b.as(ann);

  const found: [string, number][] = [];
  for (const [n, piece] of pieces.entries()) {
    const value = `a${piece.repeat(BYTES / sizeOf(piece))}b`;
    const before = cpuTime();
    expect((await b.post(form, { name: value, message: value, email: `visitor${n}@example.com` })).status).toBe(200);
    await b.tick();
    const refused = new URLSearchParams({ message: value, email: "refused" });
    const page = await b.post(refusing, refused, { accept: "text/html", "sec-fetch-mode": "navigate" });
    expect([page.status, page.text.includes("<html")]).toEqual([422, true]);
    const [submission] = (await b.submissions.list(form, { limit: 1 })).data;
    for (const path of [`/v1/forms/${form}/submissions?q=a%20b`, `/v1/forms/${form}/submissions/export?format=csv`])
      expect((await b.call("GET", path, { key })).status).toBe(200);
    for (const path of [`/f/${form}`, `/f/${form}/s/${submission?.id}`])
      expect((await owner.get(path)).status).toBe(200);
    found.push([piece, cpuTime() - before]);
    await b.submissions.delete(form, submission?.id ?? "");
  }
  expect(b.webhookCalls.length).toBe(pieces.length * Object.keys(webhooks).length);
  return found;
}

it("no value costs many times as much as another of its size, whatever it repeats", async () => {
  const found = await costs();
  const times = found.map(([, ms]) => ms).sort((a, b) => a - b);
  const usual = times[times.length >> 1] ?? 0;
  // One expression that takes the square of the time costs fifty times as much.
  expect(found.filter(([, ms]) => ms > 15 * usual)).toEqual([]);
}, 120_000);
