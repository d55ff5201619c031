import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { connect, jsonIn, textIn } from "../../../_support/mcp.ts";
import { worldOf } from "../../../_support/mcp-world.ts";
import { type Site, startPeer, startSite } from "./_peer.ts";

const peer = await startPeer();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** The backend in workerd, as the maker of the world needs it. */
const maker = (site: Site): Parameters<typeof worldOf>[0] => ({
  forms: { create: async (input) => (await site.call<{ id: string }>("forms.create", input)).value },
  webhooks: { create: async (id, input) => (await site.call<{ id: string }>("webhooks.create", id, input)).value },
  async post(id, body) {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const response = await site.fetch(`/forms/f/${id}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { json: (await response.json()) as { submission_id: string } };
  },
  tick: () => site.call("tick"),
});

it("the official client calls every tool of the backend in workerd, and each answer is as its schema says", async () => {
  const site = await startSite({
    bindings: { PEER: peer.url },
    // No webhook of the world leaves the machine: names have an address of a documentation's network, and receivers say 200.
    outboundService: (request: Request) =>
      new URL(request.url).origin === peer.url
        ? fetch(request.url, { method: request.method, body: request.body, duplex: "half" } as RequestInit)
        : request.url.includes("dns-query")
          ? Response.json({ Status: 0, Answer: [{ name: "hooks.example.com", type: 1, data: "93.184.216.34" }] })
          : new Response("ok"),
    port: 0,
    host: "127.0.0.1",
  } as never);
  const { calls } = await worldOf(maker(site));
  const key = (await site.call<{ key: string }>("keys.create", { name: "agent", scopes: "all" })).value.key;
  const agent = await connect(`${(await site.workerd.ready).origin}/forms/mcp`, key, "pinned");
  const schemas = new Map((await agent.list()).map(({ name, outputSchema }) => [name, outputSchema as object]));
  expect(Object.keys(calls).sort()).toEqual([...schemas.keys()].sort());
  for (const [name, args] of Object.entries(calls)) {
    const result = await agent.call(name, args);
    expect(result.isError, `${name}: ${textIn(result)}`).toBeFalsy();
    const valid = ajv.compile(schemas.get(name) as object);
    expect(valid(result.structuredContent), `${name}: ${JSON.stringify(valid.errors)}`).toBe(true);
    expect(jsonIn(result).value).toEqual(result.structuredContent);
  }
  // Many at once: each request has its own server of the protocol, and none waits for another's.
  const lists = await Promise.all(Array.from({ length: 20 }, () => agent.call("list_forms")));
  expect(new Set(lists.map((one) => JSON.stringify(one.structuredContent))).size).toBe(1);
}, 120_000);
