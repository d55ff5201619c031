import { describe, expect, it } from "vitest";
import { assertOrigin, corsHeaders, nextUrl, originOf } from "../../../../src/features/intake/origin.ts";

const site = "https://www.example.com";
const endpoint = "https://app.example.com/forms/f/abc";

describe("where a post comes from", () => {
  it.each([
    [{ origin: site }, site],
    [{ origin: site, referer: "https://other.example/" }, site],
    [{ origin: "null", referer: `${site}/contact` }, site],
    [{ origin: "null" }, null],
    [{ referer: `${site}/contact?x=1` }, site],
    [{ referer: "javascript:alert(1)" }, null],
    [{}, null],
  ])("%j is %s", (headers, origin) => {
    expect(originOf(new Headers(headers as Record<string, string>))).toBe(origin);
  });

  it.each([
    [[], {}, true],
    [[site], { origin: site }, true],
    [[site], { origin: `${site}.evil.example` }, false],
    [[site], { origin: "https://www.example.com:8443" }, false],
    [[site], { origin: "http://www.example.com" }, false],
    [[site], { origin: "null" }, false],
    [[site], {}, false],
    [[site], { origin: "https://app.example.com", referer: endpoint }, true],
    [[site], { origin: "https://app.example.com", referer: "https://app.example.com/other" }, false],
  ])("with the list %j a post with %j is taken: %s", (allowed, headers, taken) => {
    const check = () => assertOrigin(allowed, new Headers(headers as Record<string, string>), endpoint);
    if (taken) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: "origin_not_allowed" }));
  });
});

describe("CORS", () => {
  it("lets any origin read where a form lists none, and only those it lists otherwise, never with credentials", () => {
    const of = (allowed: string[], origin: string) => corsHeaders(allowed, new Headers({ origin }));
    expect(of([], "https://evil.example")).toMatchObject({ "access-control-allow-origin": "*" });
    expect(of([site], site)).toMatchObject({ "access-control-allow-origin": site, vary: "Origin" });
    expect(of([site], "https://evil.example")).toEqual({ vary: "Origin" });
    for (const headers of [of([], site), of([site], site)])
      expect(Object.keys(headers)).not.toContain("access-control-allow-credentials");
  });
});

describe("_next", () => {
  it.each([
    ["/thanks", `${site}/thanks`],
    ["thanks?a=1", `${site}/thanks?a=1`],
    [`${site}/thanks`, `${site}/thanks`],
    ["https://friend.example/x", "https://friend.example/x"],
    ["https://evil.example/", null],
    ["//evil.example/", null],
    ["\\\\evil.example/", null],
    ["https://www.example.com.evil.example/", null],
    ["https://bank.example@www.example.com/", null],
    ["http://www.example.com/", null],
    ["javascript:alert(1)", null],
    ["data:text/html,x", null],
    [`/${"a".repeat(2_048)}`, null],
    ["", null],
    [undefined, null],
  ])("%j leads to %s", (next, url) => {
    expect(nextUrl(next, `${site}/contact`, ["https://friend.example"], "https://app.example.com/forms")).toBe(url);
  });
});
