import { readable } from "../../../lib/colour.ts";
import { html } from "../../../lib/html.ts";
import { logoImage, type MailTheme, mailDocument, SANS, sideOf } from "../layout.ts";

const SERIF = { html: "Georgia,'Times New Roman',Times,serif" };
const DARK = {
  back: "background:#11151e!important",
  text: "color:#f3f4f6!important",
  muted: "color:#b6bdca!important",
  line: "border-color:#39435a!important",
  notice: "border-color:#fde68a!important;color:#fde68a!important",
  logo: "padding:12px!important;border-radius:6px!important",
};

/** A letter: no card and no colour but one rule under the heading; names and values in two columns. */
export const formal: MailTheme = {
  row(name, value, { first, rtl }) {
    const side = sideOf(rtl);
    const line = first ? "" : "border-top:1px solid #e0e3e8;";
    return html`<tr><th class="stack name line muted" scope="row" align="${side}" valign="top" width="32%" dir="auto" style="padding:${rtl ? "11px 0 11px 16px" : "11px 16px 11px 0"};${line}font:600 14px/1.55 ${SANS};color:#4b5563;word-break:break-word">${name}</th><td class="stack value line text" align="${side}" valign="top" dir="auto" style="padding:11px 0;${line}font:15px/1.55 ${SANS};color:#111827;word-break:break-word">${value}</td></tr>\n`;
  },

  page(layout) {
    const { words, rtl, logo, primary, kicker, heading, notice, rows, files, filesNote, message, footer } = layout;
    const rule = readable(primary, "#ffffff", 3);
    const link = readable(primary, "#ffffff", 4.5);
    return mailDocument(
      layout,
      "#ffffff",
      {
        ...DARK,
        rule: `border-color:${readable(primary, "#11151e", 3)}!important`,
        link: `color:${readable(primary, "#11151e", 4.5)}!important`,
      },
      html`${logo && html`<tr><td class="pad" style="padding:0 24px 24px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td class="logo" bgcolor="#ffffff" style="background:#ffffff">${logoImage(logo)}</td></tr></table></td></tr>`}
<tr><td class="pad" style="padding:0 24px">
${kicker && html`<p class="muted" style="margin:0 0 2px;font:14px/1.5 ${SANS};color:#4b5563">${kicker}</p>`}
<h1 class="text rule" dir="auto" style="margin:0;padding:0 0 14px;border-bottom:2px solid ${rule};font:normal 26px/1.3 ${SERIF};color:#111827;word-break:break-word">${heading}</h1>
${notice && html`<p class="notice" style="margin:16px 0;padding:0 12px;border-${sideOf(rtl)}:3px solid #854d0e;font:600 15px/1.5 ${SANS};color:#713f12">${notice}</p>`}
${message && html`<p class="text" dir="auto" style="margin:22px 0;font:17px/1.7 ${SERIF};color:#111827;word-break:break-word">${message}</p>`}
${rows.length > 0 && html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">${rows}</table>`}
${
  files.length > 0 &&
  html`<h2 class="text" style="margin:24px 0 6px;font:normal 18px/1.4 ${SERIF};color:#111827">${words.notification.files()}</h2><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">${files.map(
    (file) =>
      html`<tr><td class="line" style="padding:10px 0;border-top:1px solid #e0e3e8;font:15px/1.55 ${SANS};word-break:break-word"><a class="link" href="${file.url}" dir="auto" style="color:${link}">${file.name}</a> <span class="muted" dir="auto" style="color:#4b5563">${file.note}</span></td></tr>\n`,
  )}</table><p class="muted" dir="auto" style="margin:6px 0 0;font:13px/1.5 ${SANS};color:#4b5563">${filesNote}</p>`
}
</td></tr>
<tr><td class="pad" style="padding:24px 24px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="line" style="padding:14px 0 0;border-top:1px solid #e0e3e8">${footer.map(
        (line) =>
          html`<p class="muted" dir="auto" style="margin:0 0 4px;font:13px/1.5 ${SANS};color:#4b5563;word-break:break-word">${line}</p>\n`,
      )}</td></tr></table></td></tr>`,
    );
  },
};
