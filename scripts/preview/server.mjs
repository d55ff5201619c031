// @ts-check
// Every page and mail of the library in every theme and mode, side by side, and the inbox, from the sources: `npm run preview`,
// `npm run preview -- de`. A change of the sources is there when you reload the page.
import { createServer } from "node:http";
import { mailKinds, pageKinds, palettes, samples } from "./samples.mjs";
import { fromSources } from "./sources.mjs";

const port = Number(process.env.PORT ?? 3100);
const origin = `http://localhost:${port}`;
const preview = await fromSources(origin, process.argv[2] ?? "en");

const pageThemes = ["fancy", "formal", "sweet"];
const mailThemes = ["fancy", "formal"];
const widths = { phone: 320, tablet: 640, desktop: 1280 };

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", origin);
  if (url.pathname.startsWith("/forms/")) return preview.current().forms(request, response);
  answer(url).then(
    async (answered) => {
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(Buffer.from(await answered.arrayBuffer()));
    },
    (error) => response.writeHead(404, { "content-type": "text/plain" }).end(String(error?.message ?? error)),
  );
});
// Loopback only: it shows what it is given.
server.listen(port, "127.0.0.1", () =>
  console.log(
    `\n  Preview of all pages and mails: ${origin}/\n  The inbox: ${origin}/forms/inbox\n  Reload a page after a change. Stop with Ctrl-C.\n`,
  ),
);
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    server.close();
    server.closeAllConnections();
    await preview.close();
  });

/** @param {URL} url @returns {Promise<Response>} */
async function answer(url) {
  const [, section = "", kind = "", theme = "", mode = "", sample = "", colours = ""] = url.pathname.split("/");
  const view = { kind, theme, mode, sample, colours };
  const { page, mail } = preview.current();
  if (section === "logo.svg" || section === "logo-dark.svg")
    return new Response(logo(section === "logo.svg" ? "#1f2937" : "#f9fafb"), {
      headers: { "content-type": "image/svg+xml" },
    });
  if (section === "page") return page(view);
  if (section === "mail")
    return new Response(inMode((await mail({ ...view, mode: "light" })).html, mode), { headers: asMail });
  if (section === "text") {
    const { from, to, replyTo, subject, text } = await mail({ ...view, mode: "light" });
    const head = [
      `From: ${from.name} <${from.address}>`,
      `To: ${to.address}`,
      replyTo && `Reply-To: ${replyTo.address}`,
      `Subject: ${subject}`,
    ];
    return new Response(`${head.filter(Boolean).join("\n")}\n\n${text}`, {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  }
  if (section === "")
    return new Response(overview(url.searchParams), { headers: { "content-type": "text/html; charset=utf-8" } });
  return new Response("Not found", { status: 404 });
}

// What strangers wrote runs nothing here, as in a mail program.
const asMail = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http://localhost:*",
};

/** A mail follows the reader's system; the preview asks for one or the other. */
function inMode(/** @type {string} */ html, /** @type {string} */ mode) {
  return html.replaceAll("@media(prefers-color-scheme:dark)", mode === "dark" ? "@media all" : "@media not all");
}

/** @param {URLSearchParams} query */
function overview(query) {
  const chosen = {
    show: query.get("show") ?? "thank-you",
    sample: query.get("sample") ?? "short",
    colours: query.get("colours") ?? "blue",
    width: query.get("width") ?? "phone",
  };
  const isMail = mailKinds.includes(chosen.show);
  const frames = (isMail ? mailThemes : pageThemes).flatMap((theme) =>
    (isMail ? ["light", "dark", "text"] : ["light", "dark", "system"]).map((mode) => {
      const path =
        mode === "text"
          ? `/text/${chosen.show}/${theme}/light`
          : `/${isMail ? "mail" : "page"}/${chosen.show}/${theme}/${mode}`;
      const src = `${path}/${chosen.sample}/${chosen.colours}`;
      return `<figure><figcaption><a href="${src}">${theme}, ${mode}</a></figcaption><iframe title="${theme}, ${mode}" src="${src}"></iframe></figure>`;
    }),
  );
  const pick = (/** @type {keyof typeof chosen} */ name, /** @type {string[]} */ values) =>
    `<nav aria-label="${name}"><b>${name}</b> ${values
      .map((value) => {
        const href = `/?${new URLSearchParams({ ...chosen, [name]: value })}`;
        return `<a href="${href.replaceAll("&", "&amp;")}"${value === chosen[name] ? ' aria-current="true"' : ""}>${value}</a>`;
      })
      .join(" ")}</nav>`;
  const width = widths[/** @type {keyof typeof widths} */ (chosen.width)] ?? widths.phone;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>Preview: ${escaped(chosen.show)}</title>
<style>:root{color-scheme:light dark}body{margin:0;padding:20px;font:15px/1.5 system-ui,sans-serif}nav{margin:0 0 6px}nav a{padding:2px 8px;border-radius:6px}nav a[aria-current]{background:CanvasText;color:Canvas}
main{display:flex;flex-wrap:wrap;gap:20px;margin-top:20px}figure{margin:0}iframe{width:${width}px;height:760px;border:1px solid GrayText;border-radius:6px;background:#fff}</style></head>
<body>${pick("show", [...pageKinds, ...mailKinds])}${pick("sample", Object.keys(samples))}${pick("colours", Object.keys(palettes))}${pick("width", Object.keys(widths))}<main>${frames.join("\n")}</main></body></html>`;
}

const escaped = (/** @type {string} */ text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

const logo = (/** @type {string} */ ink) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="280" height="80" viewBox="0 0 280 80"><circle cx="40" cy="40" r="32" fill="#f97316"/><path d="M24 40h32M40 24v32" stroke="#fff" stroke-width="8"/><text x="88" y="54" font-family="Georgia,serif" font-size="42" fill="${ink}">Example</text></svg>`;
