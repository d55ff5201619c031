import { describe, expect, it } from "vitest";
import { backendWith, settings } from "./_servers.ts";

describe("GET /v1/email-servers", () => {
  it("lists id, name and sender of the caller's team, and nothing of the login or of other teams", async () => {
    const backend = backendWith();
    await backend.teams.create({ id: "other", name: "Other", owner: { email: "o@example.com", email_verified: true } });
    const { id } = await backend.emailServers.create(settings());
    await backend.emailServers.create(settings({ team_id: "other", name: "Theirs" }));
    const { key } = await backend.keys.create({ name: "k", scopes: ["forms:read"] });
    const response = await backend.fetch(
      new Request(`${backend.baseUrl}/v1/email-servers`, { headers: { authorization: `Bearer ${key}` } }),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: [{ id, name: "Our server", from: "Our team <team@example.com>" }],
    });
  });

  it("needs forms:read", async () => {
    const backend = backendWith();
    const { key } = await backend.keys.create({ name: "k", scopes: ["submissions:read"] });
    const response = await backend.fetch(
      new Request(`${backend.baseUrl}/v1/email-servers`, { headers: { authorization: `Bearer ${key}` } }),
    );
    expect(response.status).toBe(403);
  });
});
