import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { dialectNames } from "../../../../src/model/dialects.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";

export const ALIAS = "xyzabcde";
export const ADDRESS = "ann@example.com";
/** The message that the form refuses, and what it says then. */
export const REFUSED = "a forbidden word";
export const FAULT = "Say something else, please.";

async function listen(handler: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A backend with a form, and a page of another origin that posts to it. */
export interface Site {
  /** The base URL of the backend. */
  readonly base: string;
  readonly preflights: readonly string[];
  /** Shows HTML at the page's own address, in a browser with these options. */
  show(html: string): Promise<void>;
  readonly origin: string;
  /** What is stored: the fields of each submission, and its spam checks. */
  stored(): Promise<{ fields: Record<string, string>; spam: string[] }[]>;
  readonly page: Page;
}

type NewPage = (options?: BrowserContextOptions) => Promise<Page>;

export async function openSite(newPage: NewPage, { script = true } = {}): Promise<Site> {
  const preflights: string[] = [];
  let handle: RequestListener = () => {};
  const backend = await listen((request, response) => {
    if (request.method === "OPTIONS") preflights.push(String(request.headers["access-control-request-headers"] ?? ""));
    handle(request, response);
  });
  const base = `${backend.origin}/forms`;
  const b = createTestBackend({ baseUrl: base, dialects: [...dialectNames], rateLimit: false });
  onTestFinished(() => b.close());
  const checks = [{ type: "not_contains" as const, value: "forbidden", message: FAULT }];
  const { id } = await b.forms.create({
    name: "A",
    validation: { rules: [{ field: "message", checks }] },
    settings: { key: "contact", aliases: [ALIAS, ADDRESS] },
  });
  handle = formBackend(b) as RequestListener;
  let html = "";
  const pages = await listen((request, response) => {
    // Netlify's pages post to their own address, and the host passes that on.
    if (request.method === "POST") {
      request.url = "/forms/netlify";
      handle(request, response);
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<!doctype html><html lang="en"><title>A</title><body>${html}`);
    }
  });
  const page = await newPage({ javaScriptEnabled: script });
  onTestFinished(() => page.context().close());
  // A person's browser. The test's own is driven by a program, and says so.
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { get: () => window.name === 'driven' })");
  return {
    base,
    preflights,
    page,
    origin: pages.origin,
    async show(given) {
      html = given;
      await page.goto(pages.origin);
    },
    stored: async () =>
      (await b.submissions.list(id, { status: "all" })).data.map(({ fields, verdict }) => ({
        fields: Object.fromEntries(fields.map(({ key, value }) => [key, value])),
        spam: verdict.filter(({ spam }) => spam).map(({ check }) => check),
      })),
  };
}
