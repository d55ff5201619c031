import { foreground, readable } from "../../../lib/colour.ts";
import { html } from "../../../lib/html.ts";
import { logoImage, type MailTheme, mailDocument, SANS } from "../layout.ts";

const DARK = {
  back: "background:#0b0f19!important",
  card: "background:#161d2c!important;border-color:#2b3446!important",
  text: "color:#f3f4f6!important",
  muted: "color:#b6bdca!important",
  line: "border-color:#2b3446!important",
  notice: "background:#3a2f14!important;color:#fde68a!important",
};

/** A card under a band in the form's colour; each value under its name, in a size that is read at a glance. */
export const fancy: MailTheme = {
  row: (name, value, { first }) =>
    html`<tr><td class="line" style="padding:14px 0;${!first && "border-top:1px solid #e5e7eb;"}font:16px/1.55 ${SANS};word-break:break-word"><div class="muted" dir="auto" style="font-size:13px;font-weight:600;color:#4b5563">${name}</div><div class="text" dir="auto" style="color:#111827">${value}</div></td></tr>\n`,

  page(layout) {
    const { logo, primary, kicker, heading, notice, rows, files, filesNote, message, footer } = layout;
    const on = foreground(primary);
    const link = readable(primary, "#ffffff", 4.5);
    return mailDocument(
      layout,
      "#eef0f4",
      { ...DARK, link: `color:${readable(primary, "#161d2c", 4.5)}!important` },
      html`${logo && html`<tr><td class="pad" style="padding:24px 40px;background:#ffffff;border:1px solid #e2e6ec;border-bottom:0;border-radius:14px 14px 0 0">${logoImage(logo)}</td></tr>`}
<tr><td class="pad" bgcolor="${primary}" style="padding:30px 40px;background:${primary};border-radius:${logo ? "0" : "14px 14px 0 0"}">
${kicker && html`<p style="margin:0 0 4px;font:600 14px/1.4 ${SANS};color:${on}">${kicker}</p>`}
<h1 dir="auto" style="margin:0;font:700 26px/1.25 ${SANS};color:${on};word-break:break-word">${heading}</h1>
</td></tr>
<tr><td class="card pad" style="padding:16px 40px 28px;background:#ffffff;border:1px solid #e2e6ec;border-top:0;border-radius:0 0 14px 14px">
${notice && html`<p class="notice" style="margin:12px 0 16px;padding:12px 16px;border-radius:8px;background:#fef3c7;font:600 15px/1.5 ${SANS};color:#713f12">${notice}</p>`}
${message && html`<p class="text" dir="auto" style="margin:16px 0 8px;font:17px/1.65 ${SANS};color:#111827;word-break:break-word">${message}</p>`}
${rows.length > 0 && html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows}</table>`}
${
  files.length > 0 &&
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${files.map(
    (file) =>
      html`<tr><td class="line" style="padding:14px 0;border-top:1px solid #e5e7eb;font:16px/1.55 ${SANS};word-break:break-word"><a class="link" href="${file.url}" dir="auto" style="color:${link};font-weight:600">${file.name}</a><br><span class="muted" dir="auto" style="font-size:13px;color:#4b5563">${file.note}</span></td></tr>\n`,
  )}</table><p class="muted" dir="auto" style="margin:0;font:13px/1.5 ${SANS};color:#4b5563">${filesNote}</p>`
}
</td></tr>
<tr><td class="pad" align="center" style="padding:20px 40px">${footer.map(
        (line) =>
          html`<p class="muted" dir="auto" style="margin:0 0 4px;font:13px/1.5 ${SANS};color:#4b5563;word-break:break-word">${line}</p>\n`,
      )}</td></tr>`,
    );
  },
};
