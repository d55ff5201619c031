// @ts-check

/**
 * @typedef {object} Sample
 * @property {string} name
 * @property {string} headline
 * @property {string} message
 * @property {string} button
 * @property {string} reply
 * @property {boolean} logo
 * @property {[key: string, value: string][]} fields
 * @property {[name: string, bytes: number][]} files
 */

const lorem =
  "We read every message ourselves, usually on the day it arrives. If yours came in on a weekend or a holiday, please give us until the next working day; nobody is forgotten.";

/** Pages and mails that can be seen. */
export const pageKinds = ["thank-you", "error", "endpoint"];
export const mailKinds = ["notification", "auto-response"];

/** What the pages and mails are filled with: as little as possible, a lot, right to left, and by somebody who means harm. */
export const samples = /** @type {Record<string, Sample>} */ ({
  short: {
    name: "Contact",
    headline: "Thank you!",
    message: "Your submission has been received.",
    button: "Return",
    reply: "Thank you. We received your message and will get back to you.",
    logo: false,
    fields: [
      ["name", "Ada Lovelace"],
      ["email", "ada@example.com"],
      ["message", "Hello! Could you send me your price list?"],
    ],
    files: [],
  },
  long: {
    name: "Request for an offer: conference rooms, catering and overnight stays for groups of more than twenty guests",
    headline: "Thank you, we have received your request and forwarded it to the people who can answer it best",
    message: `${lorem}\n\n${lorem} ${lorem}\n\nWhat happens next:\n1. You get an email with what you sent us.\n2. We check the dates.\n3. We call you.`,
    button: "Back to the overview of our conference rooms",
    reply: `Dear {{contact_person | guest}},\n\n${lorem}\n\n${lorem}\n\nYou wrote:\n{{#message}}{{.}}{{/message}}\n\nKind regards,\nThe team`,
    logo: true,
    fields: [
      ["contact_person", "Maximiliane von Hohenstein-Wittelsbach"],
      ["email", "maximiliane.von.hohenstein-wittelsbach@a-rather-long-company-name.example.com"],
      ["number_of_guests_including_children_and_speakers", "124"],
      ["extras[]", "Vegan catering"],
      ["extras[]", "Interpreters"],
      ["remarks", ""],
      [
        "website",
        "https://www.example.com/a/path/that/goes/on/and/on/without/any/place/to/break/it?and=a&query=too#fragment",
      ],
      ["message", `Dear Sir or Madam,\n\n${lorem} ${lorem}\n\n  - first item\n  - second item\n\n${lorem}`],
      ["reference", "A".repeat(120)],
    ],
    files: [
      ["programme.txt", 2_600],
      ["a-plan-of-the-rooms-with-a-name-that-is-much-longer-than-anybody-would-like-it-to-be-final-2.txt", 1_400_000],
    ],
  },
  rtl: {
    name: "نموذج الاتصال",
    headline: "شكرًا لك!",
    message: "لقد استلمنا رسالتك وسنرد عليك في أقرب وقت ممكن.\n\nתודה רבה, קיבלנו את הפנייה.",
    button: "العودة إلى الموقع",
    reply: "مرحبًا {{الاسم}}،\n\nلقد استلمنا رسالتك وسنرد عليك قريبًا.\n\nFollow-up number: {{submission.id}}",
    logo: true,
    fields: [
      ["الاسم", "ليلى الأندلسي"],
      ["email", "layla@example.com"],
      ["שם החברה", "חברה לדוגמה בע״מ"],
      ["الرسالة", "السلام عليكم،\nأود معرفة سعر الغرفة رقم 12 (مع الإفطار) من 3 إلى 5 مايو.\nشكرًا!"],
    ],
    files: [["السيرة الذاتية.txt", 300]],
  },
  hostile: {
    name: `<script>alert(1)</script> "Contact" & 'more' {{form.id}}`,
    headline: `</h1><img src=x onerror=alert(1)> {{name}}`,
    message: `<b>bold?</b> "quotes" 'apostrophes' & &amp; {{#fields}}{{value}}{{/fields}}\n<!-- -->`,
    button: `"><svg onload=alert(1)>`,
    reply: "Hello {{{name}}}, you wrote: {{message}}",
    logo: false,
    fields: [
      ["name", `<img src=x onerror=alert(1)>{{form.name}}`],
      ["email", "eve@example.com"],
      ['"><script>alert(2)</script>', "javascript:alert(3)"],
      ["__proto__", "\u202Egnitseretni \u0007\u001B[31mred"],
      [
        "message",
        `</td></tr></table><style>body{display:none}</style>\nBcc: all@example.com\n\n{{#fields}}{{/fields}} {{> partial}} ${"😀".repeat(30)}`,
      ],
      ["zalgo", "Z̸̡̛̞͇̫͎̬͉̟̐̓̂͐̑̄a̷̜̥͊l̵̯̄g̶̲̓o̴͙̽ ﷽ ‮abc"],
    ],
    files: [[`"><img src=x onerror=alert(1)>.txt`, 12]],
  },
});

/** @type {Record<string, [primary: string, secondary: string]>} */
export const palettes = {
  blue: ["#2563eb", "#ffffff"],
  teal: ["#0f766e", "#fde68a"],
  pink: ["#db2777", "#7c3aed"],
  yellow: ["#facc15", "#111827"],
  black: ["#111111", "#e5e7eb"],
  white: ["#ffffff", "#ffffff"],
};
