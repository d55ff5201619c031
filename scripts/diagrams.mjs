// The drawings of docs/internals/how-it-works.md: `node scripts/diagrams.mjs` writes them to docs/public.
// They are tall instead of wide, so that a phone shows their words at a size that can be read.
import { writeFileSync } from "node:fs";

const WIDTH = 440;
const LINE = 19;

const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const text = (x, y, words, kind, anchor = "middle") =>
  `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${plain(words)}</text>`;

/** A box whose first line is its name. */
function box({ x = 20, y, w = WIDTH - 40, lines: [title, ...lines], kind = "" }) {
  const h = 20 + LINE * (lines.length + 1);
  const middle = x + w / 2;
  return {
    h,
    svg: [
      `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="8" class="box ${kind}"/>`,
      text(middle, y + 25, title, "title"),
      ...lines.map((line, at) => text(middle, y + 25 + LINE * (at + 1), line, "line")),
    ].join(""),
  };
}

const arrow = (x1, y1, x2, y2) => `<path d="M${x1} ${y1}L${x2} ${y2}" class="arrow" marker-end="url(#tip)"/>`;

/** Rows from top to bottom, with an arrow and its words between them. A row is a box, or several beside each other. */
function drawing(name, title, rows) {
  let y = 20;
  const parts = rows.flatMap((row, at) => {
    const boxes = [row].flat();
    const gap = 12;
    const w = (WIDTH - 40 - gap * (boxes.length - 1)) / boxes.length;
    const drawn = boxes.map((one, column) => box({ ...one, y, w, x: 20 + column * (w + gap) }));
    const bottom = y + Math.max(...drawn.map(({ h }) => h));
    const next = rows[at + 1];
    const below = next ? [next].flat() : [];
    const columns = Math.max(boxes.length, below.length);
    const arrows =
      below.length === 0
        ? []
        : Array.from({ length: columns }, (_, column) => {
            const x = 20 + (WIDTH - 40) * ((column + 0.5) / columns);
            const words = [below[column % below.length]?.after, boxes[column % boxes.length]?.then].find(Boolean) ?? "";
            return (
              arrow(x, bottom, x, bottom + 33) +
              (columns === 1
                ? text(x + 12, bottom + 22, words, "word", "start")
                : text(x + 8, bottom + 22, words, "word", "start"))
            );
          });
    y = bottom + 36;
    return [...drawn.map(({ svg }) => svg), ...arrows];
  });
  const height = y - 16;
  writeFileSync(
    new URL(`../docs/public/${name}.svg`, import.meta.url),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img"><title>${plain(title)}</title>
<style>
text{font-family:ui-sans-serif,system-ui,sans-serif;fill:#24292f}.title{font-size:15px;font-weight:600}.line,.word{font-size:13.5px}.word,.line{fill:#4a5058}
.page{fill:#fff}.box{fill:#f4f6f8;stroke:#8b949e}.good{fill:#e6f5f3;stroke:#0f766e;stroke-width:2}.bad{fill:#fdf0ee;stroke:#b3402f}.arrow{stroke:#57606a;stroke-width:1.5;fill:none}#tip path{fill:#57606a}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.word,.line{fill:#b4bcc6}.page{fill:#1b1b1f}.box{fill:#25272d;stroke:#6e7681}.good{fill:#12312e;stroke:#2dd4bf}.bad{fill:#3a201c;stroke:#f0907f}.arrow{stroke:#9aa4af}#tip path{fill:#9aa4af}}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
<rect width="${WIDTH}" height="${height}" rx="12" class="page"/>
${parts.join("\n")}
</svg>
`,
  );
}

drawing("way-of-a-submission", "The path of a submission, from the browser to the response", [
  { lines: ["Visitor's browser", "a plain form, or fetch"] },
  { lines: ["Your app", "the adapter passes on address, body and IP"], after: "POST /forms/f/{id}" },
  { lines: ["Read and check", "form, origin, size, rate, files, rules, spam"] },
  {
    lines: ["One transaction", "the submission, a job for each email", "and webhook, and the counters"],
    kind: "good",
    after: "or refused, with a page",
  },
  { lines: ["Response", "thank-you page, redirect or JSON"], after: "only now: it is on disk" },
]);

drawing("way-of-a-delivery", "The path of a delivery, from the job to its end", [
  { lines: ["Job in the store", "written together with the submission"] },
  { lines: ["A worker claims it", "any process, for the time of a lease"], after: "when it is due" },
  { lines: ["Send", "email over SMTP, or a signed webhook", "to a public address"] },
  [
    { lines: ["Succeeded", "2xx, or taken", "by the server"], kind: "good" },
    { lines: ["Again later", "for 72 hours,", "ever less often"] },
    { lines: ["Failed", "refused; send", "it by hand"], kind: "bad" },
  ],
]);

drawing("way-of-trust", "Who is trusted with what", [
  [
    { lines: ["Visitor", "not trusted", "at all"], kind: "bad" },
    { lines: ["Tenant", "only with its", "own forms"] },
    { lines: ["You", "trusted with", "everything"], kind: "good" },
  ],
  [
    { lines: ["Endpoint", "bounded in size,", "time and rate"], after: "posts" },
    { lines: ["API, inbox", "keys, scopes,", "teams, plans"], after: "key" },
    { lines: ["In process", "every form,", "no key"], after: "calls" },
  ],
  {
    lines: [
      "form-backend, in your process",
      "values are text, templates have budgets,",
      "secrets are encrypted, links are signed",
    ],
  },
  [
    { lines: ["Your store", "whoever writes", "it, has all"], kind: "good", after: "" },
    { lines: ["Receivers", "public only,", "read as text"], kind: "bad" },
    { lines: ["Mail servers", "one recipient,", "no free headers"] },
  ],
]);
