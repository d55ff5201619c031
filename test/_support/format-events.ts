import fc from "fast-check";
import type { FormatEvent } from "../../src/features/webhooks/formats/types.ts";
import { runs } from "./runs.ts";

interface Parts {
  readonly name?: string;
  readonly fields?: readonly { key: string; value: string }[];
  readonly files?: readonly { key: string; name: string }[];
}

export const eventOf = ({ name = "Contact", fields = [], files = [] }: Parts = {}): FormatEvent => ({
  type: "submission.created",
  form: { id: "frm000000001", name },
  submission: {
    id: "6921f0a0c0ffee0000000001",
    form_id: "frm000000001",
    created_at: "2026-11-21T04:16:00.123Z",
    spam: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields: [...fields],
    attachments: files.map(({ key, name: file }, at) => ({
      key,
      url: `https://forms.example.com/forms/files/file${at}/${encodeURIComponent(file.toWellFormed())}?expires=1795236625&signature=0a1b2c`,
      mime_type: "application/pdf",
    })),
  },
});

/** URLs of each service, as it gives them out. */
export const urls = {
  standard: "https://example.com/api/hook",
  flat: "https://hooks.zapier.com/hooks/catch/1/abc/",
  slack: "https://hooks.slack.com/services/T00000001/B00000001/abcdefghijklmnopqrst1234",
  discord: "https://discord.com/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz-_1234",
  teams:
    "https://prod-1.westeurope.logic.azure.com:443/workflows/0a1b2c/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abcdefgh1234",
  telegram: "https://api.telegram.org/bot123456:ABC-def1234ghIkl/sendMessage?chat_id=-1001234567890",
  mattermost: "https://chat.example.com/hooks/abcdefghijklmnopqrstuv1234",
  google_chat: "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=AIza&token=abcdefgh1234",
  ntfy: "https://ntfy.sh/my_topic-1",
} as const;

/** Texts that ping somebody, add formatting or break out of a message in some service. */
const attacks = [
  "<!channel> <!here> <!everyone> <@U012AB3CD> <#C012AB3CD|general> <https://evil.example|your bank>",
  "@everyone @here @channel @all @durov .@channel (@here) é@all @town-square",
  "<@123456789012345678> <@&123456789012345678> <#123456789012345678> <:kappa:123> <t:1700000000:R> </cmd:1>",
  "[your bank](https://evil.example) ![x](https://evil.example/x.png) [ref]: https://evil.example 'x'",
  "**bold** __under__ *it* _it_ ~~no~~ ~no~ ||spoiler|| `code` ```js\nfence\n``` ~~~\nfence\n~~~",
  "# head\n## head\n-# small\n> quote\n>>> quote\n- list\n* list\n+ list\n1. one\n2) two\n- [ ] task",
  "Setext\n===\nOther\n---\n***\n___\n| a | b |\n|---|---|\n| 1 | 2 |\n    code\n\tcode",
  '</b><b>x</b><i>x</i><a href="https://evil.example">bank</a><tg-spoiler>x</tg-spoiler><pre>x</pre>',
  "<script>alert(1)</script><img src=x onerror=alert(1)><font color=red>x</font><br><users/all>",
  "&lt;b&gt; &amp;amp; &#60; &#64;channel &#x40;all &nbsp; &copy",
  "{{DATE(2017-02-14T06:00:00Z,SHORT)}} {{TIME(2017-02-14T06:00:00Z)}} {{{DATE(2017-02-14T06:00:00Z,LONG)}}} @{body()}",
  '<at>Everybody</at> <at id="0">x</at>',
  "/start /start@bot #hashtag ##two $USD #тег :smile: :+1: :) <3 :-( ;) $x^2$ $$y$$",
  "https://evil.example/a_b_c www.evil.example evil@example.com mailto:evil@example.com tel:+123456789",
  '"},{"type":"header"}],"text":"<!channel>","x":"',
  "\\ \\\\ \\* \\_ \\@everyone \\<@1> \\[x\\](https://evil.example) \\",
  "\u202eevil\u202c \u2066x\u2069 \u0000\u0001\u0008\u001b[31mred\u001b[0m\u007f\u0085",
  "line\r\nline\rline\u2028line\u2029line\u000bline\u000cline",
  "\ud800 \udc00 half \ud83d",
  "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪".repeat(40),
  "e\u0301".repeat(500) + "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!".repeat(20),
  "   \n \t \u00a0\u3000\ufeff  ",
  "",
  "…",
  "+99 more",
  "&".repeat(20_000),
  "<".repeat(20_000),
  "`".repeat(20_000),
  '"\\'.repeat(10_000),
  "@".repeat(20_000),
  "\n".repeat(5_000) + "end",
  "a\n".repeat(5_000),
  "😀".repeat(10_000),
  "漢字".repeat(10_000),
  "x".repeat(65_536),
  "__proto__",
  "constructor",
  "submission_id",
];

const FILL = "Lorem ipsum dolor sit amet, consectetur adipiscing elit.";

/** 200 submissions made to break a message: each attack as value, as key, as both, among others, in hundreds and as a file's name. */
export const hostile: readonly FormatEvent[] = Array.from({ length: 200 }, (_, at) => {
  const attack = attacks[at % attacks.length] as string;
  const other = attacks[(at * 7 + 3) % attacks.length] as string;
  switch (Math.floor(at / attacks.length)) {
    case 0:
      return eventOf({ fields: [{ key: "message", value: attack }] });
    case 1:
      return eventOf({ name: attack.slice(0, 200), fields: [{ key: attack.slice(0, 200), value: other }] });
    case 2:
      return eventOf({
        fields: Array.from({ length: 500 }, (__, n) => ({
          key: `${attack.slice(0, 40)} ${n}`,
          value: attack.slice(0, 400),
        })),
      });
    case 3:
      return eventOf({
        fields: [
          { key: "a", value: FILL },
          { key: attack.slice(0, 200), value: attack },
          { key: "a", value: other },
          { key: "", value: attack },
        ],
        files: [{ key: attack.slice(0, 100), name: attack.slice(0, 200) || "x" }],
      });
    case 4:
      return eventOf({
        fields: Array.from({ length: 60 }, (__, n) => ({ key: `f${n}`, value: attack + other })),
        files: Array.from({ length: 20 }, (__, n) => ({ key: `file${n}`, name: `${n} ${attack.slice(0, 60)}` })),
      });
    default:
      return eventOf({ fields: attacks.map((value, n) => ({ key: `${n}`, value })) });
  }
});

const word = fc.constantFrom(
  ...attacks.map((attack) => attack.slice(0, 300)),
  FILL,
  "Ada",
  "ada@example.com",
  "\n",
  " ",
);
const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 80 }) },
  { weight: 3, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => words.join("")) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom(..."@#<>&*_~`|[](){}:/\\\"'-+=.!$ \nab1"), maxLength: 200 }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }), fc.nat(6_000))
      .map(([unit, n]) => unit.repeat(n)),
  },
);

/** Any submission: up to 300 fields, names and values of any text. */
export const anyEvent: fc.Arbitrary<FormatEvent> = fc
  .record({
    name: fc.string({ unit: "binary", maxLength: 100 }),
    fields: fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.record({ key: text, value: text }), { maxLength: 12 }) },
      {
        weight: 1,
        arbitrary: fc.array(fc.record({ key: fc.string({ maxLength: 12 }), value: word }), { maxLength: 300 }),
      },
    ),
    files: fc.array(
      fc.record({
        key: fc.string({ maxLength: 20 }),
        name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 }),
      }),
      {
        maxLength: 4,
      },
    ),
  })
  .map(eventOf);

/** Submissions per format. */
export const CASES = runs(50, 2_000);
