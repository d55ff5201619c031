import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { createFormBackend } from "../../../../src/index.ts";
import { type McpOptions, mcp, protectedResourceMetadata } from "../../../../src/surfaces/mcp/index.ts";
import { textIn } from "../../../_support/mcp.ts";
import { signer } from "../../features/keys/_issuer.ts";
import { messageIn, rpc } from "./_rpc.ts";

const ISSUER = "https://issuer.example.com";
let keys: Awaited<ReturnType<typeof signer>>;
beforeAll(async () => {
  keys = await signer("one");
});

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const toolCall = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: args },
});

const withOAuth = (more: object = {}) =>
  rpc({ oauth: { issuer: ISSUER, audience: "https://api.example.com/forms", jwks: { keys: [keys.jwk] } }, ...more });

describe("a credential", () => {
  it("is needed, and the answer says where to learn of one and which scopes to ask for", async () => {
    const b = rpc();
    for (const [method, body] of [
      ["POST", JSON.stringify(list)],
      ["GET", undefined],
      ["DELETE", undefined],
    ] as const) {
      const answer = await b.call(method, "/mcp", { key: null, ...(body && { body }) });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="${b.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="forms:read submissions:read"`,
      );
    }
    expect((await b.send(list, { key: "fb_live_wrong" })).status).toBe(401);
  });

  it("is never the host's session", async () => {
    let asked = 0;
    const b = rpc({
      authenticate: () => {
        asked++;
        return { auth: "host", id: "me", team_ids: ["default"], scopes: "all", form_ids: null };
      },
    });
    const headers = { cookie: "session=1", origin: new URL(b.baseUrl).origin, "sec-fetch-site": "same-origin" };
    expect((await b.send(list, { key: null, headers })).status).toBe(401);
    expect(asked).toBe(0);
    expect((await b.call("GET", "/v1/me", { key: null, headers })).status).toBe(200);
  });

  it("may be a token for this server or for the API, and for nothing else", async () => {
    const b = withOAuth();
    const claims = { team_ids: ["default"], scope: "forms:read" };
    for (const [aud, status] of [
      [`${b.baseUrl}/mcp`, 200],
      ["https://api.example.com/forms", 200],
      [`${b.baseUrl}/mcp/`, 401],
      ["https://other.example.com", 401],
    ] as const) {
      const key = await keys.token(ISSUER, { ...claims, aud });
      expect((await b.send(list, { key })).status, aud).toBe(status);
    }
    const forMcp = await keys.token(ISSUER, { ...claims, aud: `${b.baseUrl}/mcp` });
    expect((await b.call("GET", "/v1/forms", { key: forMcp })).status).toBe(401);
  });

  it("in the query is not read", async () => {
    const b = rpc();
    const answer = await b.call("POST", `/mcp?access_token=${b.key}`, { key: null, body: JSON.stringify(list) });
    expect(answer.status).toBe(401);
  });

  it("of OAuth that lacks a scope gets 403 with all that the tool needs; a key gets a result", async () => {
    const b = withOAuth();
    const claims = { team_ids: ["default"], scope: "forms:read", aud: `${b.baseUrl}/mcp` };
    const answer = await b.send(toolCall("create_form", { name: "X" }), { key: await keys.token(ISSUER, claims) });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${b.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="forms:write"`,
    );
    expect(answer.json).toMatchObject({
      jsonrpc: "2.0",
      id: 7,
      error: { message: expect.stringContaining("forms:write") },
    });
    const result = await b.tool("create_form", { name: "X" }, await b.keyWith(["forms:read"]));
    expect(textIn(result)).toMatch(/^insufficient_scope: /);
  });

  it("that fails often is refused for a while, and one that calls often too", async () => {
    const b = rpc({ rateLimit: { management: { points: 3, seconds: 10 } } });
    const { id: form_id } = await b.forms.create({ name: "F" });
    for (let i = 0; i < 3; i++) expect((await b.tool("get_form", { form_id })).isError).toBeFalsy();
    const refused = await b.tool("get_form", { form_id });
    expect(textIn(refused)).toMatch(/^rate_limited: [\s\S]*\nNext: Wait \d+ seconds, then call again\.$/);
    expect((await b.send(list)).status).toBe(429);
  });
});

describe("the metadata", () => {
  it("names exactly the address of the server, at both addresses", async () => {
    const b = withOAuth();
    const answer = await b.call("GET", "/.well-known/oauth-protected-resource/mcp", { key: null });
    expect(answer.json).toEqual({
      resource: `${b.baseUrl}/mcp`,
      resource_name: "Form Backend",
      authorization_servers: [ISSUER],
      scopes_supported: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
      bearer_methods_supported: ["header"],
    });
    const atRoot = protectedResourceMetadata(b);
    expect(atRoot).toBeInstanceOf(Response);
    expect(await atRoot.json()).toEqual(answer.json);
    expect(atRoot.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("is a TypeError for a backend without the option", () => {
    const b = createFormBackend({ baseUrl: "https://app.example.com/forms" });
    expect(() => protectedResourceMetadata(b)).toThrow(TypeError);
  });

  it("needs no credential and no open store", async () => {
    const b = rpc();
    expect((await b.call("GET", "/.well-known/oauth-protected-resource/mcp", { key: null })).json.resource).toBe(
      `${b.baseUrl}/mcp`,
    );
  });
});

describe("a page", () => {
  it("of a foreign origin is refused, one of a listed origin gets CORS", async () => {
    const b = rpc({ mcpOptions: { allowedOrigins: ["https://agent.example"] } });
    for (const origin of [
      "https://evil.example",
      "null",
      "https://agent.example.evil.example",
      "http://agent.example",
    ]) {
      const answer = await b.send(list, { headers: { origin } });
      expect(answer.status, origin).toBe(403);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect((await b.call("OPTIONS", "/mcp", { key: null, headers: { origin } })).status).toBe(403);
    }
    const own = await b.send(list, { headers: { origin: new URL(b.baseUrl).origin } });
    expect(own.status).toBe(200);
    const allowed = await b.send(list, { headers: { origin: "https://agent.example" } });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://agent.example");
    expect(allowed.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    const preflight = await b.call("OPTIONS", "/mcp", { key: null, headers: { origin: "https://agent.example" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
    );
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://agent.example");
    const refused = await b.send(list, { key: null, headers: { origin: "https://agent.example" } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://agent.example",
    ]);
  });

  /** Sends one message to a socket under a name of the sender's choice. */
  async function underHost(host: string, more: object = {}, headers: object = {}): Promise<number> {
    let port = 0;
    const b = rpc({ baseUrl: "https://forms.example.com/forms", ...more });
    const server = createServer(formBackend(b)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    port = (server.address() as AddressInfo).port;
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          port,
          host: "127.0.0.1",
          path: "/forms/mcp",
          method: "POST",
          agent: false,
          headers: {
            host: host.replace("PORT", String(port)),
            authorization: `Bearer ${b.key}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...headers,
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on("error", reject);
      asked.end(JSON.stringify(list));
    });
  }

  it("under another host name is refused, as after DNS rebinding; addresses and our own name are not", async () => {
    expect(await underHost("evil.example")).toBe(403);
    expect(await underHost("evil.example:PORT", {}, { origin: "http://evil.example" })).toBe(403);
    expect(await underHost("forms.example.com.evil.example")).toBe(403);
    expect(await underHost("127.0.0.1.evil.example")).toBe(403);
    for (const host of [
      "forms.example.com",
      "forms.example.com:8443",
      "127.0.0.1:PORT",
      "localhost:PORT",
      "[::1]:PORT",
    ]) {
      expect(await underHost(host), host).toBe(200);
    }
    const forwarded = { "x-forwarded-host": "forms.example.com" };
    expect(await underHost("app.internal", {}, forwarded)).toBe(403);
    expect(await underHost("app.internal", { trustProxy: 1 }, forwarded)).toBe(200);
  });
});

describe("requests that are none", () => {
  it("answer with an error of the protocol", async () => {
    const b = rpc();
    expect((await b.send("{")).status).toBe(400);
    expect(messageIn(await b.send("{"))).toMatchObject({ error: { code: -32_700 } });
    expect((await b.send("x".repeat(1_100_000))).status).toBe(413);
    expect((await b.send({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} })).status).toBe(404);
    expect((await b.call("GET", "/mcp")).status).toBe(405);
    expect((await b.call("PUT", "/mcp", { body: "{}" })).status).toBe(405);
    expect((await b.call("GET", "/mcp/more")).status).toBe(404);
  });
});

describe("mcp()", () => {
  it("refuses an unknown or wrong option by its name", () => {
    for (const [options, name] of [
      [{ readonly: true }, "readonly"],
      [{ readOnly: "yes" }, "readOnly"],
      [{ allowedOrigins: ["https://agent.example/"] }, "allowedOrigins.0"],
      [{ tools: ["list_forms"] }, "tools"],
    ] as const) {
      expect(() => mcp(options as unknown as McpOptions)).toThrow(`[form-backend] mcp: \`${name}\``);
    }
    expect(() => createFormBackend({ baseUrl: "https://a.example/forms", mcp: {} as never })).toThrow(
      /option `mcp`: must be what mcp/,
    );
  });
});
