// The inbox in a browser on a slow machine and a slow network: when its pages are there, and whether a link works at first paint.
import { join } from "node:path";
import { chromium } from "playwright-core";
import { benchLighthouse } from "./lighthouse.mjs";
import { startApp } from "./processes.mjs";
import { marked, median, note } from "./table.mjs";

const SLOWER = 4;
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 };
const VIEWPORT = { width: 1280, height: 800 };
/** Time after the last file, in which anything that comes late would move the page or block it. */
const SETTLE_MS = 1_500;
const figures = {
  LCP: { of: "largest contentful paint, ms", digits: 0, goal: { most: 1_800 }, unit: " ms" },
  TBT: { of: "total blocking, ms", digits: 0, goal: { most: 100 }, unit: " ms" },
  work: { of: "total blocking, ms of CPU", digits: 0, goal: { most: 100 }, unit: " ms" },
  CLS: { of: "layout shift", digits: 3, goal: { most: 0.02 }, unit: "" },
};
/** A page that has painted nothing by then is at fault. */
const PAINT_MS = 20_000;
/** Pages with a list, whose first link is clicked at first paint. */
const LISTS = ["forms", "inbox list", "deliveries"];
const FIRST_LINK = "main tbody a[href]";

export async function benchWeb(context) {
  const { services, dir } = context;
  services.need("chromium");
  const app = await startApp("web.mjs", { ENGINE: "sqlite", DATABASE: join(dir, "web.db") });
  try {
    return [...(await benchPages(app.pages, context)), ...(await benchLighthouse(app.pages, context))];
  } finally {
    await app.stop();
  }
}

async function benchPages(pages, { rounds, services }) {
  const browser = await chromium.launch({
    executablePath: services.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  });
  const found = Object.fromEntries(Object.keys(pages).map((name) => [name, []]));
  const clicks = Object.fromEntries(LISTS.map((name) => [name, []]));
  try {
    // The first round fills the caches of the browser's own code.
    for (let round = -1; round < rounds; round++) {
      for (const [name, url] of Object.entries(pages)) {
        const seen = await inPage(browser, (page) => look(browser, page, url));
        note(`  ${round + 1}/${rounds} ${name}: ${JSON.stringify(seen)}`);
        if (round >= 0) found[name].push(seen);
      }
      for (const name of LISTS) {
        const click = await inPage(browser, (page) => clickAtFirstPaint(page, pages[name]));
        note(`  ${round + 1}/${rounds} ${name}: ${JSON.stringify(click)}`);
        if (round >= 0) clicks[name].push(click);
      }
    }
  } finally {
    await browser.close();
  }
  return [
    ...Object.entries(found).flatMap(([name, seen]) =>
      Object.entries(figures).map(([figure, { of, digits, goal, unit }]) => {
        const values = seen.map((each) => each[figure]);
        const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
        return {
          what: `Inbox, ${name}: ${of}`,
          ours: `${median(values).toFixed(digits)} (${least}–${most})`,
          ...marked(median(values), goal, unit),
        };
      }),
    ),
    ...Object.entries(clicks).map(([name, each]) => {
      const worked = each.filter(({ fault }) => fault === null);
      const faults = [...new Set(each.flatMap(({ fault }) => fault ?? []))].join("; ");
      return {
        what: `Inbox, ${name}: first link clicked at first paint leads to its page`,
        ours: `${worked.length} of ${each.length}${faults && `: ${faults}`}`,
        beside: `painted after ${median(each.map(({ painted }) => painted)).toFixed(0)} ms`,
        ...marked(worked.length, { least: each.length }, ""),
      };
    }),
  ];
}

/** A page without a cache, on the slow machine and network. */
async function inPage(browser, run) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", NETWORK);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    return await run(page);
  } finally {
    // Not awaited: a page in the middle of a navigation may keep it waiting, and the browser's end closes it too.
    context.close().catch(() => {});
  }
}

async function look(browser, page, url) {
  await page.addInitScript(() => {
    const seen = { FCP: 0, LCP: 0, CLS: 0, long: [] };
    globalThis.seen = seen;
    const watch = (type, add) =>
      new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
    watch("paint", ({ name, startTime }) => {
      if (name === "first-contentful-paint") seen.FCP = startTime;
    });
    watch("largest-contentful-paint", ({ startTime }) => {
      seen.LCP = startTime;
    });
    watch("longtask", ({ startTime, duration }) => {
      seen.long.push({ start: startTime, duration, counted: duration });
    });
    watch("layout-shift", ({ value }) => {
      seen.CLS += value;
    });
  });
  await browser.startTracing(page, { categories: ["loading", "disabled-by-default-devtools.timeline"] });
  await page.goto(url, { waitUntil: "load" });
  await page.waitForTimeout(SETTLE_MS);
  const { FCP, LCP, CLS, long } = await page.evaluate(() => globalThis.seen);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const paint = traceEvents.findLast(({ name }) => name === "firstContentfulPaint");
  if (!paint || LCP === 0) throw new Error(`${url} painted nothing`);
  const tasks = traceEvents
    .filter(({ name, pid, tid }) => name === "RunTask" && pid === paint.pid && tid === paint.tid)
    .map(({ ts, dur, tdur = 0 }) => ({ start: ts / 1_000, duration: dur / 1_000, counted: tdur / 1_000 }));
  return { LCP, CLS, TBT: blocking(long, FCP), work: blocking(tasks, paint.ts / 1_000) };
}

/** As Lighthouse counts it: of tasks over 50 ms, what is over 50 ms and after the first paint. */
function blocking(tasks, painted) {
  let sum = 0;
  for (const { start, duration, counted } of tasks) {
    if (counted <= 50) continue;
    sum += (counted - 50) * Math.min(1, Math.max(0, (start + duration - painted) / duration));
  }
  return sum;
}

/** When the page painted first, and why its first link did not work then; null where it did. */
async function clickAtFirstPaint(page, url) {
  let tell;
  const painted = new Promise((resolve) => {
    tell = resolve;
  });
  await page.exposeFunction("paintedFirst", tell);
  await page.addInitScript((selector) => {
    new PerformanceObserver((list) => {
      const paint = list.getEntriesByName("first-contentful-paint")[0];
      if (!paint) return;
      const link = document.querySelector(selector);
      const box = link?.getBoundingClientRect();
      const at = box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      const reached = at && link.contains(document.elementFromPoint(at.x, at.y));
      globalThis.paintedFirst({ at: paint.startTime, link: link?.href ?? null, click: reached ? at : null });
    }).observe({ type: "paint", buffered: true });
  }, FIRST_LINK);
  await page.goto(url, { waitUntil: "commit" });
  const late = page.waitForTimeout(PAINT_MS).then(() => Promise.reject(new Error(`${url} painted nothing`)));
  const { at, link, click } = await Promise.race([painted, late]);
  if (!click) return { painted: at, fault: link ? "the link is covered" : "no link is there" };
  // Not awaited: the page that would confirm the click may be gone by then.
  page.mouse.click(click.x, click.y).catch(() => {});
  const fault = await page.waitForURL(link, { waitUntil: "commit", timeout: 10_000 }).then(
    () => null,
    () => `it leads to ${page.url()}`,
  );
  return { painted: at, fault };
}
