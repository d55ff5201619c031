// Opens every page of the built documentation in Chromium: `npm run docs:build && npm run docs:check`.
// Faults: what axe-core finds, a page wider than a phone, a broken picture or link, a word whose search finds nothing.
// axe-core looks at each page in one of the two views, in turn; with SOAK=1, as in `npm run test:soak`, in both.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { headlessChromium } from "./chromium.mjs";

const root = resolve(import.meta.dirname, "../docs/.vitepress/dist");
const only = process.argv[2] ?? "";
// As in the build: DOCS_BASE=/form-backend/ where the site is not at the root of its host.
const base = (process.env.DOCS_BASE ?? "/").replace(/\/$/, "");
const WORDS =
  "docker,translate,time zone,troubleshooting,nestjs,resend,postmark,spf,dmarc,zapier,admin,kubernetes,429,formspree".split(
    ",",
  );
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
const views = [
  { width: 320, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
];

if (!existsSync(root)) {
  console.error("There is no docs/.vitepress/dist; run `npm run docs:build` first.");
  process.exit(1);
}
const pages = readdirSync(root, { recursive: true })
  .filter((file) => file.endsWith(".html") && file !== "404.html")
  .map((file) => `/${file.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "")}`)
  .sort();

const fileOf = (path) =>
  [path, `${path}.html`, join(path, "index.html")]
    .map((name) => join(root, name))
    .find((name) => extname(name) && existsSync(name));
/** The file at an address, null for one that is not below the base. */
const served = (pathname) =>
  pathname.startsWith(`${base}/`) ? fileOf(decodeURIComponent(pathname.slice(base.length))) : undefined;
const ids = new Map();
/** The names that a link to a part of the page may have. Each page links to most others, so each is read once. */
function idsOf(file) {
  if (!ids.has(file)) {
    const found = readFileSync(file, "utf8").matchAll(/ id="([^"]*)"/g);
    ids.set(file, new Set(Array.from(found, ([, id]) => id)));
  }
  return ids.get(file);
}
const server = createServer((request, response) => {
  const file = served(new URL(request.url, "http://x").pathname);
  response.writeHead(file ? 200 : 404, {
    "content-type": TYPES[extname(file ?? "")] ?? "application/octet-stream",
    "cache-control": request.url.startsWith(`${base}/assets/`) ? "max-age=3600" : "no-store",
  });
  response.end(file && readFileSync(file));
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: headlessChromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const faults = [];
const soak = process.env.SOAK === "1";

// The decisions look alike: one in ten is looked at.
const isAlike = (page) => /^\/decisions\/\d{3}[1-9]-/.test(page);
const asked = pages.filter((one) => (only === "" ? !isAlike(one) : one.includes(only)));
// One core for each half of the pages.
await Promise.all([0, 1].map((half) => look(asked.filter((_, n) => n % 2 === half))));

/** Opens each page once, and looks at it in every view. */
async function look(paths) {
  const context = await browser.newContext();
  // Else each page would load those that it links to, which are opened anyway.
  await context.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
  const page = await context.newPage();
  for (const [n, path] of paths.entries()) {
    for (const [at, { width, colorScheme }] of views.entries()) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      if (at === 0) await page.goto(origin + base + path, { waitUntil: "load" });
      const about = (fault) => faults.push(`${path} at ${width} px, ${colorScheme}: ${fault}`);
      const isDark = "document.documentElement.classList.contains('dark')";
      const shown = page.waitForFunction(`${isDark} === ${colorScheme === "dark"}`, null, { timeout: 10_000 });
      await shown.catch(() => about("the other colours"));
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (wide > 0) about(`${wide} px too wide`);
      if (at === 0) await followed(page, about);
      if (soak || (n + at) % 2 === 0) await accessible(page, about);
    }
  }
  await context.close();
}

/** Reports missing pictures, and links to pages or headings that the site does not have. */
async function followed(page, about) {
  const { pictures, links } = await page.evaluate(() => ({
    pictures: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src),
    links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
  }));
  for (const picture of pictures) about(`no picture ${picture}`);
  for (const link of new Set(links)) {
    const { origin: at, pathname, hash } = new URL(link);
    if (at !== origin) continue;
    const file = served(pathname);
    if (!file) about(`no page ${pathname}`);
    else if (hash && !idsOf(file).has(decodeURIComponent(hash.slice(1)))) about(`no heading ${pathname}${hash}`);
  }
}

/** Reports what axe-core finds in the page in its present view. */
async function accessible(page, about) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({
      runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
      // As in `test/_support/browser.ts`.
      resultTypes: ["violations"],
      preload: { assets: ["media"] },
    }),
  );
  for (const { id, nodes } of violations) {
    const places = nodes.slice(0, 3).map(({ target }) => target.join(" "));
    about(`${id}: ${places.join(", ")}`);
  }
}

// Agents read /llms.txt, /llms-full.txt and the Markdown of each page: every page must be in all three.
const isNamed = (path) => !/^\/(decisions\/\d|reference\/licenses$)/.test(path) && path !== "/";
const [index, full] = ["llms.txt", "llms-full.txt"].map((name) => readFileSync(join(root, name), "utf8"));
for (const path of pages.filter(isNamed)) {
  const text = path.endsWith("/") ? `${path}index.md` : `${path}.md`;
  if (!existsSync(join(root, text)) && !existsSync(join(root, `${path.slice(0, -1)}.md`)))
    faults.push(`${path} has no Markdown at ${text}`);
  const addresses = [text, `${path.replace(/\/$/, "")}.md`].map((one) => `${base}${one})`);
  if (!addresses.some((one) => index.includes(one)))
    faults.push(`/llms.txt does not name ${path}: add it to the sidebar in docs/.vitepress/config.ts`);
}
for (const [, path] of (index.split("### Other")[1] ?? "").matchAll(/\((\/[^)]+)\)/g))
  if (path !== `${base}/changelog.md`) faults.push(`${path} is in no sidebar: add it in docs/.vitepress/config.ts`);
if (full.length < 500_000) faults.push("/llms-full.txt lacks pages");

const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(`${origin}${base}/guide/first-form`, { waitUntil: "load" });
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
if (!(await page.textContent(".VPNavBar")).includes(version)) faults.push("the header does not name the version");
if ((await page.locator('a[href$="/changelog"]').count()) === 0)
  faults.push("the header does not lead to the changelog");
if ((await page.locator('.edit-link-button[href$="/docs/guide/first-form.md"]').count()) === 0)
  faults.push("a page can't be edited");
for (const word of WORDS) {
  await page.keyboard.press("Control+k");
  await page.fill("#localsearch-input", "");
  await page.waitForSelector(".VPLocalSearchBox .result", { state: "detached" });
  await page.fill("#localsearch-input", word);
  const found = await page.waitForSelector(".VPLocalSearchBox .result", { timeout: 10_000 }).catch(() => null);
  const first = found && (await found.getAttribute("href"));
  console.log(`search ${word}: ${first ?? "nothing"}`);
  if (!first) faults.push(`the search finds nothing for ${word}`);
  await page.keyboard.press("Escape");
}
await browser.close();
server.close();
for (const fault of faults) console.error(fault);
console.log(`${pages.length} pages, ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
