import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const origins = ["https://app.acme.example", "http://localhost:4000"];
const frame = { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" };
const input = { team_ids: ["default"], role: "agent" as const, user: { id: "bo", name: "Bo" } };
const pathOf = (url: string): string => url.replace(/^.*\/inbox/, "");

describe("the option embed", () => {
  it("refuses at the start what browsers would drop", () => {
    for (const wrong of [
      "https://app.acme.example/",
      "https://app.acme.example/path",
      "https://*.acme.example",
      "*",
      "'self'",
      "app.acme.example",
      "https://app.acme.example; script-src *",
      "HTTPS://APP.ACME.EXAMPLE",
      "data:text/html",
      "",
    ]) {
      expect(() => inboxHarness({ embed: { origins: [wrong] } }), wrong).toThrow(
        /inbox: option `embed.origins.0` must be an exact origin/,
      );
    }
    expect(() => inboxHarness({ embed: { origins: [] } })).toThrow("must name at least one origin");
    const insecure = { baseUrl: "http://forms.example.com" };
    expect(() => inboxHarness({ embed: { origins } }, insecure)).toThrow("needs a `baseUrl` with https");
  });

  it("lets exactly these pages frame the inbox, and its previews", async () => {
    const backend = inboxHarness({ embed: { origins } });
    const { id } = await backend.forms.create({ name: "Contact" });
    const policyOf = async (path: string) => {
      const { headers } = await backend.as({}).get(path);
      expect(headers.get("x-frame-options")).toBeNull();
      return headers.get("content-security-policy");
    };
    expect(await policyOf(`/f/${id}`)).toMatch(/frame-ancestors https:\/\/app\.acme\.example http:\/\/localhost:4000$/);
    expect(await policyOf(`/f/${id}/preview/page`)).toContain(`frame-ancestors 'self' ${origins.join(" ")};`);
    const closed = await inboxHarness().as({}).get("/");
    expect(closed.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(closed.headers.get("x-frame-options")).toBe("DENY");
  });
});

describe("a link for a frame", () => {
  it("needs the option, and lives at most a minute", async () => {
    await expect(inboxHarness().inbox.link({ ...input, embed: true })).rejects.toThrow("needs the option `embed`");
    const backend = inboxHarness({ embed: { origins } });
    await expect(backend.inbox.link({ ...input, embed: true, expires_in: 61 })).rejects.toThrow("at most 60 seconds");
    const { url, expires_at } = await backend.inbox.link({ ...input, embed: true });
    expect(Date.parse(expires_at) - backend.clock.now()).toBe(60_000);
    await backend.clock.advance(60_000);
    expect((await backend.stranger().get(pathOf(url), frame)).status).toBe(403);
  });

  it("opens once, in a frame alone, with a cookie that is kept for the page around", async () => {
    const backend = inboxHarness({ embed: { origins } });
    const form = await backend.forms.create({ name: "Contact" });
    const { url } = await backend.inbox.link({ ...input, embed: true, to: `/f/${form.id}` });
    expect((await backend.stranger().get(pathOf(url), { ...frame, "sec-purpose": "prefetch" })).text).toContain(
      "Continue",
    );
    expect((await backend.stranger().get(pathOf(url))).text).toContain("Continue");
    const guest = backend.stranger();
    const answer = await guest.get(pathOf(url), frame);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${backend.baseUrl}/inbox/f/${form.id}`]);
    expect(answer.headers.get("set-cookie")).toMatch(/SameSite=None; Secure; Partitioned; HttpOnly/);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect((await guest.get(`/f/${form.id}`, frame)).text).toContain("Contact");
    expect((await backend.stranger().get(pathOf(url), frame)).status).toBe(403);
    // The rights are those of the link.
    expect((await guest.post("/new", { name: "x" }, { "sec-fetch-dest": "iframe" })).status).toBe(403);
  });

  it("ends with its user's sessions, and the frame says so", async () => {
    const backend = inboxHarness({ embed: { origins }, signIn: () => "https://app.example.com/login" });
    const { url } = await backend.inbox.link({ ...input, embed: true });
    const guest = backend.stranger();
    await guest.get(pathOf(url), frame);
    expect((await guest.get("/all", frame)).status).toBe(200);
    await backend.inbox.endSessions({ user_id: "bo" });
    const after = await guest.get("/all", frame);
    expect(after.status).toBe(404);
    expect(after.text).toContain("You are not signed in here");
    expect((await guest.get("/all")).status).toBe(303);
  });

  it("leaves somebody's own session outside of frames alone", async () => {
    const backend = inboxHarness({ embed: { origins } });
    await backend.forms.create({ name: "Contact" });
    const someone = await backend.guest({ user: { id: "cy", name: "Cy" } });
    const { url } = await backend.inbox.link({ ...input, embed: true });
    await someone.get(pathOf(url), frame);
    expect((await someone.get("/all")).text).toContain("<summary>Cy</summary>");
    expect((await someone.get("/all", frame)).text).toContain("<summary>Bo</summary>");
  });
});
