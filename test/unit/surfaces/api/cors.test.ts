import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const origin = "https://dashboard.example.com";
const allowed = (headers: Headers) => headers.get("access-control-allow-origin");

describe("the management API and browsers of other origins", () => {
  it("speaks to none by default", async () => {
    const b = harness();
    const get = await b.call("GET", "/v1/forms", { headers: { origin } });
    expect([get.status, allowed(get.headers), get.headers.get("vary")]).toEqual([200, null, null]);
    const preflight = await b.call("OPTIONS", "/v1/forms", { key: null, headers: { origin } });
    expect([preflight.status, preflight.json.error.code, allowed(preflight.headers)]).toEqual([
      405,
      "method_not_allowed",
      null,
    ]);
  });

  it.each(["/v1/forms", "/api/auth"])("answers the preflight of a listed origin on %s", async (path) => {
    const b = harness({ cors: { management: [origin, "https://other.example.com"] } });
    const headers = {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization",
    };
    const answer = await b.call("OPTIONS", path, { key: null, headers });
    expect([answer.status, answer.text, allowed(answer.headers), answer.headers.get("vary")]).toEqual([
      204,
      "",
      origin,
      "Origin",
    ]);
    expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("says so on every answer, errors included, and exposes what a client needs", async () => {
    const b = harness({ cors: { management: [origin] } });
    for (const [method, path, status] of [
      ["GET", "/v1/forms", 200],
      ["GET", "/v1/forms/none", 404],
      ["GET", "/v1/nowhere", 404],
      ["PUT", "/v1/forms", 405],
    ] as const) {
      const answer = await b.call(method, path, { headers: { origin } });
      expect([answer.status, allowed(answer.headers), answer.headers.get("vary")]).toEqual([status, origin, "Origin"]);
      expect(answer.headers.get("access-control-expose-headers")).toContain("Retry-After");
    }
    expect(allowed((await b.call("GET", "/v1/forms", { key: null, headers: { origin } })).headers)).toBe(origin);
  });

  it("lets pages of a listed origin send the host's session, and nobody else", async () => {
    const authenticate = () => null;
    const session = { authenticate, cors: { management: [origin] } };
    const withCookies = async (options: object, from: string, path: string) => {
      const b = harness(options);
      const answers = ["OPTIONS", "GET"].map((method) => b.call(method, path, { headers: { origin: from } }));
      return (await Promise.all(answers)).map(({ headers }) => headers.get("access-control-allow-credentials"));
    };
    expect(await withCookies(session, origin, "/v1/forms")).toEqual(["true", "true"]);
    expect(await withCookies(session, "https://evil.example.com", "/v1/forms")).toEqual([null, null]);
    expect(await withCookies(session, origin, "/api/auth")).toEqual([null, null]);
    expect(await withCookies(session, origin, "/f/none")).toEqual([null, null]);
    expect(await withCookies({ authenticate }, origin, "/v1/forms")).toEqual([null, null]);
    expect(await withCookies({ cors: session.cors }, origin, "/v1/forms")).toEqual([null, null]);
  });

  it.each(["https://evil.example.com", "http://dashboard.example.com", `${origin}:8443`, "null", `${origin}.evil.com`])(
    "does not speak to %s when others are listed",
    async (other) => {
      const b = harness({ cors: { management: [origin] } });
      for (const method of ["OPTIONS", "GET"]) {
        const { headers } = await b.call(method, "/v1/forms", { headers: { origin: other } });
        expect([allowed(headers), headers.get("vary")]).toEqual([null, "Origin"]);
      }
    },
  );

  it.each(["dashboard.example.com", "https://dashboard.example.com/", "*"])("refuses the option value %s", (value) => {
    expect(() => harness({ cors: { management: [value] } })).toThrow("option `cors.management.0`");
  });
});
