import { beforeEach, describe, expect, it, vi } from "vitest";
import { harness } from "../../../_support/backend.ts";
import { sendingDomain, startDns } from "../../../_support/dns.ts";

/** The name server of this machine, as far as these tests go. */
const machine = vi.hoisted(() => ({ server: "", isSilent: false }));
vi.mock("../../../../src/lib/sender-dns/dns.ts", async (original) => {
  const { dnsOf } = await original<typeof import("../../../../src/lib/sender-dns/dns.ts")>();
  const silent = () => new Promise<never>(() => {});
  return {
    dnsOf: (server: string | undefined) =>
      machine.isSilent ? { texts: silent, addresses: silent } : dnsOf(server ?? machine.server),
  };
});
beforeEach(() => {
  machine.isSilent = false;
});

const DOMAIN = "acme.example";

async function world() {
  const dns = await startDns({});
  machine.server = dns.address;
  const b = harness({ rateLimit: false });
  await b.teams.update("default", { sender_domains: [DOMAIN] });
  const get = (query = "?selectors=s1", more = {}) => b.call("GET", `/v1/sender-domains/${DOMAIN}${query}`, more);
  return { b, dns, get };
}

const found = (json: { records: { name: string; found: boolean }[] }): string[] =>
  json.records.filter((record) => record.found).map(({ name }) => name);

describe("GET /v1/sender-domains/{domain}", () => {
  it("has the records to set and what DNS has of them, and verifies nothing", async () => {
    const { b, dns, get } = await world();
    const before = await get();
    expect(before.status).toBe(200);
    expect(before.json).toMatchObject({ domain: DOMAIN, verified: false });
    expect(before.json.records.map(({ name }: { name: string }) => name)).toEqual([
      `_sender-proof.${DOMAIN}`,
      DOMAIN,
      `s1._domainkey.${DOMAIN}`,
      `_dmarc.${DOMAIN}`,
    ]);
    expect(found(before.json)).toEqual([]);
    const team = await b.teams.get("default");
    Object.assign(dns.zone, sendingDomain(DOMAIN, before.json.records[0].value));
    await b.clock.advance(30_000);
    const after = await get();
    expect(found(after.json)).toHaveLength(4);
    expect(after.json.verified).toBe(false);
    expect(await b.teams.get("default")).toEqual(team);
    await b.teams.verifyDomain("default", DOMAIN, { selectors: ["s1"], dns: dns.address });
    expect((await get()).json.verified).toBe(true);
  });

  it("asks DNS once in 30 seconds, however many ask", async () => {
    const { b, dns, get } = await world();
    await Promise.all(Array.from({ length: 20 }, () => get()));
    const asked = dns.asked.length;
    expect(dns.asked.filter((name) => name.startsWith("_dmarc"))).toHaveLength(1);
    await b.clock.advance(29_999);
    await get();
    expect(dns.asked).toHaveLength(asked);
    await b.clock.advance(1);
    await get();
    expect(dns.asked.length).toBeGreaterThan(asked);
  });

  it("is 404 for a domain that the team does not list, and asks nothing", async () => {
    const { b, dns } = await world();
    await b.teams.create({ id: "other", name: "Other", sender_domains: ["other.example"] });
    for (const domain of ["other.example", "nothing.example", `sub.${DOMAIN}`, "%20", "a".repeat(253)]) {
      const { status, json } = await b.call("GET", `/v1/sender-domains/${domain}`);
      expect([status, json.error.code], domain).toEqual([404, "not_found"]);
    }
    expect(dns.asked).toEqual([]);
    await expect(b.senderDomains.get("other.example", { team_id: "default" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("takes another name server in process alone, and a few selectors", async () => {
    const { b, get } = await world();
    const other = await startDns({ [`_dmarc.${DOMAIN} TXT`]: ["v=DMARC1; p=reject"] });
    const state = await b.senderDomains.get(DOMAIN, { team_id: "default", dns: other.address });
    expect(found(state)).toEqual([`_dmarc.${DOMAIN}`]);
    expect((await get(`?dns=${other.address}`)).json.error).toMatchObject({ code: "invalid_parameter", param: "dns" });
    const many = Array.from({ length: 11 }, (_, n) => `selectors=s${n}`).join("&");
    expect((await get(`?${many}`)).json.error).toMatchObject({ code: "invalid_parameter", param: "selectors" });
  });

  it("needs forms:read, and a key of all forms", async () => {
    const { b, get } = await world();
    const form = await b.forms.create({ name: "A" });
    const writes = await b.keys.create({ name: "w", scopes: ["submissions:read"] });
    expect((await get("", { key: writes.key })).status).toBe(403);
    const part = await b.keys.create({ name: "p", scopes: ["forms:read"], form_ids: [form.id] });
    expect((await get("", { key: part.key })).json.error.code).toBe("form_access_restricted");
  });

  it("ends after 20 seconds where DNS is silent, and the next ones do not wait again", async () => {
    const { get } = await world();
    machine.isSilent = true;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const waiting = get();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
      await vi.advanceTimersByTimeAsync(20_000);
      const late = await waiting;
      expect([late.status, late.json.error.code]).toEqual([503, "unavailable"]);
      expect(late.json.error.message).toContain("more than 20 seconds");
    } finally {
      vi.useRealTimers();
    }
    expect((await get()).status).toBe(503);
  });
});
