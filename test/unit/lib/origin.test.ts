import { expect, test } from "vitest";
import { plainLook } from "../../../src/features/pages/form-pages.ts";
import { renderPage } from "../../../src/features/pages/page.ts";
import { policySources } from "../../../src/lib/origin.ts";
import { english } from "../../../src/texts/locales/_languages.ts";

const HOSTILE = [
  "https://a.example;sandbox/",
  "https://a.example,b/",
  "https://*/",
  "https://*.a.example/",
  "https://a'b/",
];

test("an origin with signs of a policy is no source of one", () => {
  expect(policySources(["https://a.example/logo.png", "", "no URL", ...HOSTILE, "https://a.example/"])).toEqual([
    "https://a.example",
  ]);
});

test("a page's policy has its own directives alone, whatever the URLs of its logo and its target", () => {
  const page = {
    words: english,
    title: "",
    look: plainLook({ logo_url: "", logo_dark_url: "", primary: "#2563eb" }),
    content: { html: "" },
  };
  const policyOf = (more: object) => renderPage({ ...page, ...more }).headers["content-security-policy"];
  expect(policyOf({ images: HOSTILE, formTargets: HOSTILE })).toBe(policyOf({}));
});
