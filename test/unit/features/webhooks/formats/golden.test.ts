import type { HeaderBlock, KnownBlock } from "@slack/types";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { expect, it } from "vitest";
import { formats } from "../../../../../src/features/webhooks/formats/table.ts";
import { eventOf, urls } from "../../../../_support/format-events.ts";

const event = eventOf({
  fields: [
    { key: "email", value: "ada@example.com" },
    { key: "topic", value: "sales" },
    { key: "topic", value: "R&D" },
  ],
  files: [{ key: "cv", name: "ada.pdf" }],
});
const link = "https://forms.example.com/forms/files/file0/ada.pdf?expires=1795236625&signature=0a1b2c";
const bodyOf = (name: keyof typeof urls): unknown => JSON.parse(formats[name].body(event, new URL(urls[name])));

// `satisfies` judges the shapes by the types that the services publish.
it("a message to Slack is of Block Kit's types", () => {
  const text = (of: string) => ({ type: "plain_text", text: of, emoji: false }) as const satisfies HeaderBlock["text"];
  const blocks = [
    { type: "header", text: text("New submission: Contact") },
    { type: "context", elements: [text("email")] },
    { type: "section", text: text("ada@example.com") },
    { type: "context", elements: [text("topic")] },
    { type: "section", text: text("sales, R&amp;D") },
    {
      type: "context",
      elements: [text("cv"), { type: "mrkdwn", text: `<${link.replace("&", "&amp;")}|Open>`, verbatim: true }],
    },
    { type: "section", text: text("ada.pdf") },
    { type: "context", elements: [text("2026-11-21 04:16 UTC · 6921f0a0c0ffee0000000001")] },
  ] satisfies KnownBlock[];
  expect(bodyOf("slack")).toEqual({
    text: "New submission: Contact",
    mrkdwn: false,
    blocks,
    unfurl_links: false,
    unfurl_media: false,
  });
});

it("a message to Discord is of its API's types", () => {
  expect(bodyOf("discord")).toEqual({
    embeds: [
      {
        title: "New submission\\: Contact",
        fields: [
          { name: "email", value: "ada\\@example\\.com" },
          { name: "topic", value: "sales, R\\&D" },
          { name: "cv", value: `ada\\.pdf\n[Open](${link})` },
        ],
        footer: { text: "2026-11-21 04:16 UTC · 6921f0a0c0ffee0000000001" },
        timestamp: "2026-11-21T04:16:00.123Z",
      },
    ],
    allowed_mentions: { parse: [] },
  } satisfies RESTPostAPIWebhookWithTokenJSONBody);
});

it("a message to Telegram has its chat and the parameters that a URL may carry, and links to files", () => {
  const url = new URL(`${urls.telegram}&message_thread_id=7&disable_notification=true&other=1`);
  expect(JSON.parse(formats.telegram.body(event, url))).toEqual({
    chat_id: "-1001234567890",
    message_thread_id: 7,
    disable_notification: true,
    text: [
      "<b>New submission: Contact</b>",
      "<b>email</b>\nada@example.com",
      "<b>topic</b>\nsales, R&amp;D",
      `<b>cv</b>\n<a href="${link.replace("&", "&amp;")}">ada.pdf</a>`,
      "<i>2026-11-21 04:16 UTC · 6921f0a0c0ffee0000000001</i>",
    ].join("\n\n"),
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  });
});

it("a message to ntfy names the topic and reads as text", () => {
  expect(bodyOf("ntfy")).toEqual({
    topic: "my_topic-1",
    title: "New submission: Contact",
    message: `email: ada@example.com\ntopic: sales, R&D\ncv: ada.pdf\n${link}\n2026-11-21 04:16 UTC · 6921f0a0c0ffee0000000001`,
  });
});

it("a test says that it is one", () => {
  const test = { ...event, type: "submission.test" };
  const titles = (["slack", "discord", "teams", "telegram", "mattermost", "google_chat", "ntfy"] as const).filter(
    (name) => !formats[name].body(test, new URL(urls[name])).includes("Test"),
  );
  expect(titles).toEqual([]);
});
