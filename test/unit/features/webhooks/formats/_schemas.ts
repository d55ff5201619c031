/** The limits of the services as they document them, written apart from the code that keeps them. */

const closed = (properties: Record<string, object>, optional: readonly string[] = []): object => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const list = (items: object, [minItems, maxItems]: readonly [number, number]): object => ({
  type: "array",
  items,
  minItems,
  maxItems,
});
const text = (minLength: number, maxLength: number): object => ({ type: "string", minLength, maxLength });
const only = (value: unknown): object => ({ const: value });

// docs.slack.dev/reference/block-kit: 50 blocks; header 150, section text 1 to 3,000, context 10 elements.
const plainText = (most: number): object =>
  closed({ type: only("plain_text"), text: text(1, most), emoji: only(false) });
const ownLink = closed({
  type: only("mrkdwn"),
  text: { type: "string", pattern: "^<https://forms\\.example\\.com/[^<>|\\s]+\\|Open>$" },
  verbatim: only(true),
});
const slack = closed({
  text: text(1, 3_000),
  mrkdwn: only(false),
  unfurl_links: only(false),
  unfurl_media: only(false),
  blocks: list(
    {
      oneOf: [
        closed({ type: only("header"), text: plainText(150) }),
        closed({ type: only("section"), text: plainText(3_000) }),
        closed({
          type: only("context"),
          elements: { type: "array", items: { oneOf: [plainText(3_000), ownLink] }, minItems: 1, maxItems: 2 },
        }),
      ],
    },
    [1, 50],
  ),
});

// docs.discord.com/developers/resources/message: 10 embeds, 25 fields, title 256, name 256, value 1,024, footer 2,048.
const discord = closed({
  embeds: list(
    closed(
      {
        title: text(1, 256),
        fields: list(closed({ name: text(1, 256), value: text(1, 1_024) }), [0, 25]),
        footer: closed({ text: text(1, 2_048) }),
        timestamp: text(24, 24),
      },
      ["title", "footer", "timestamp"],
    ),
    [1, 10],
  ),
  allowed_mentions: closed({ parse: list({}, [0, 0]) }),
});

// adaptivecards.io/explorer, as far as a card of ours goes; no `entities`, without which nobody is mentioned.
const textRun = closed(
  {
    type: only("TextRun"),
    text: text(1, 28_000),
    size: { enum: ["Small", "Large"] },
    weight: only("Bolder"),
    isSubtle: only(true),
    selectAction: closed({
      type: only("Action.OpenUrl"),
      title: only("Open"),
      url: { type: "string", pattern: "^https://forms\\.example\\.com/" },
    }),
  },
  ["size", "weight", "isSubtle", "selectAction"],
);
const richText = closed({
  type: only("RichTextBlock"),
  spacing: { enum: ["none", "medium"] },
  inlines: list(textRun, [1, 1]),
});
const teams = closed({
  type: only("message"),
  attachments: list(
    closed({
      contentType: only("application/vnd.microsoft.card.adaptive"),
      contentUrl: only(null),
      content: closed({
        type: only("AdaptiveCard"),
        $schema: only("http://adaptivecards.io/schemas/adaptive-card.json"),
        version: only("1.4"),
        body: list(richText, [1, 10_000]),
        msteams: closed({ width: only("Full") }),
      }),
    }),
    [1, 1],
  ),
});

// core.telegram.org/bots/api#sendmessage
const telegram = closed({
  chat_id: text(1, 100),
  text: text(1, 40_000),
  parse_mode: only("HTML"),
  link_preview_options: closed({ is_disabled: only(true) }),
});

// developers.mattermost.com/integrate/webhooks/incoming: 16,383 characters.
const mattermost = closed({ text: text(1, 16_383) });

// developers.google.com/workspace/chat/api/reference/rest/v1/cards: 100 widgets.
const widget = {
  oneOf: [
    closed({ textParagraph: closed({ text: text(1, 32_000) }) }),
    closed({
      decoratedText: closed(
        {
          topLabel: text(1, 32_000),
          text: text(1, 32_000),
          wrapText: only(true),
          button: closed({
            text: only("Open"),
            onClick: closed({
              openLink: closed({ url: { type: "string", pattern: "^https://forms\\.example\\.com/" } }),
            }),
          }),
        },
        ["button"],
      ),
    }),
  ],
};
const google_chat = closed({
  text: text(1, 4_096),
  cardsV2: list(
    closed({
      cardId: text(1, 64),
      card: closed({
        header: closed({ title: text(1, 32_000) }),
        sections: list(closed({ widgets: list(widget, [1, 100]) }), [1, 1]),
      }),
    }),
    [1, 1],
  ),
});

// docs.ntfy.sh/publish/#publish-as-json
const ntfy = closed({
  topic: { type: "string", pattern: "^[-_A-Za-z0-9]{1,64}$" },
  title: text(1, 1_000),
  message: text(1, 4_096),
});

export const schemas = { slack, discord, teams, telegram, mattermost, google_chat, ntfy };
