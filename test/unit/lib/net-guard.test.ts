import { randomBytes } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { request } from "node:http";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type AddressResolver,
  addressPolicy,
  BlockedAddressError,
  checkUrl,
  guardedLookup,
  LookupError,
} from "../../../src/lib/net-guard.ts";
import { httpReceiver } from "../../_support/receivers.ts";
import { dnsServer, NXDOMAIN, SERVFAIL, type Zone } from "./dns-server.ts";

const lookUp = (lookup: LookupFunction, hostname: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found as LookupAddress[])));
  });

describe("addressPolicy", () => {
  const policy = addressPolicy();
  // First and last address of every denied range, and its public neighbours.
  const denied4 =
    `168.63.129.16 0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255 169.254.0.0
    169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255
    192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0
    239.255.255.255 240.0.0.0 255.255.255.255`.split(/\s+/);
  const allowed4 =
    `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
    172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
    198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255`.split(/\s+/);
  const denied6 =
    `:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 1fff:ffff::1 2001:: 2001::1 2001:1ff:ffff::1
    2001:db8::1 2002:: 2002:808:808::1 3fff:: 3fff:fff:ffff::1 4000:: 5f00::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 ffff::1`.split(
      /\s+/,
    );
  const allowed6 =
    "2000::1 2001:200::1 2001:db7::1 2001:db9::1 2003::1 2606:4700::1111 2a00:1450::1 3ffe::1 3fff:1000::1".split(" ");

  test.each(denied4)("denies %s, also mapped into IPv6", (ip) => {
    expect([policy.allows(ip), policy.allows(`::ffff:${ip}`)]).toEqual([false, false]);
  });
  test.each(allowed4)("allows %s, also mapped into IPv6", (ip) => {
    expect([policy.allows(ip), policy.allows(`::ffff:${ip}`)]).toEqual([true, true]);
  });
  test.each(denied6)("denies %s", (ip) => expect(policy.allows(ip)).toBe(false));
  test.each(allowed6)("allows %s", (ip) => expect(policy.allows(ip)).toBe(true));
  test.each([
    "",
    "localhost",
    "8.8.8",
    "8.8.8.8.8",
    "8.8.8.8/32",
    "2606:4700::1111%eth0",
    "[2606:4700::1111]",
    " 8.8.8.8",
  ])("denies what is no address: '%s'", (text) => expect(policy.allows(text)).toBe(false));

  test("allowCidrs opens exactly its ranges, for mapped addresses too", () => {
    const open = addressPolicy({ allowCidrs: ["10.1.2.0/24", "127.0.0.1", "fd00:1::/32", "::1"] });
    for (const ip of ["10.1.2.3", "::ffff:10.1.2.3", "127.0.0.1", "::ffff:7f00:1", "fd00:1::9", "::1", "8.8.8.8"]) {
      expect([ip, open.allows(ip)]).toEqual([ip, true]);
    }
    for (const ip of ["10.1.3.1", "::ffff:10.1.3.1", "127.0.0.2", "fd00:2::9", "::2", "::127.0.0.1"]) {
      expect([ip, open.allows(ip)]).toEqual([ip, false]);
    }
  });

  test("an exception for all of IPv6 opens nothing of IPv4", () => {
    const open = addressPolicy({ allowCidrs: ["::/0"] });
    expect([open.allows("::1"), open.allows("127.0.0.1"), open.allows("::ffff:127.0.0.1")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([
    "",
    "localhost",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "fd00::/129",
    "fd00::/1e1",
  ])("refuses '%s' as a range and names the option", (cidr) =>
    expect(() => addressPolicy({ allowCidrs: [cidr] })).toThrow(
      /\[form-backend\] allowCidrs: .* is not an address range/,
    ),
  );
});

describe("checkUrl", () => {
  const policy = addressPolicy();
  const check = (url: string, allowHttp = false) => checkUrl(url, { allowHttp, policy });

  test.each([
    "https://hooks.example.com",
    "https://hooks.example.com/a/b?c=d%20e",
    "https://münchen.example/",
    "https://xn--mnchen-3ya.example/",
    "https://hooks.example.com:443/",
    "https://hooks.example.com:80/",
    "https://hooks.example.com:1024/",
    "https://hooks.example.com:65535/",
    "https://bücher.example/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "HTTPS://EXAMPLE.COM",
  ])("accepts %s", (url) => expect(check(url)).toMatchObject({ ok: true, url: expect.any(URL) }));

  test.each([
    ["http://hooks.example.com/", /plain http takes the option/],
    ["ftp://hooks.example.com/", /begin with https/],
    ["file:///etc/passwd", /begin with https/],
    ["javascript:alert(1)", /begin with https/],
    ["//hooks.example.com/", /not an absolute URL/],
    ["hooks.example.com", /not an absolute URL/],
    ["", /not an absolute URL/],
    ["https://", /not an absolute URL/],
    ["https://[::1", /not an absolute URL/],
    ["https://127.0.0.1%00.example.com/", /not an absolute URL/],
    ["https://exam\tple.com/", /control character/],
    ["https://example.com/\r\nHost: x", /control character/],
    ["https://user@example.com/", /user name or password/],
    ["https://:secret@example.com/", /user name or password/],
    ["https://example.com/#", /fragment/],
    ["https://example.com/#part", /fragment/],
    ["https://example.com:22/", /port/],
    ["https://example.com:25/", /port/],
    ["https://example.com:53/", /port/],
    ["https://example.com:0/", /port/],
    ["https://example.com:81/", /port/],
    ["https://example.com:1023/", /port/],
    [`https://example.com/${"a".repeat(2_029)}`, /longer than 2048/],
  ])("refuses %s", (url, reason) => {
    expect(check(url)).toEqual({ ok: false, reason: expect.stringMatching(reason), blocked: false });
  });

  test("a URL of exactly 2,048 characters passes", () => {
    expect(check(`https://example.com/${"a".repeat(2_028)}`).ok).toBe(true);
  });

  test("http passes when it is allowed, and port 443 of it too", () => {
    expect([check("http://example.com/", true).ok, check("http://example.com:443/", true).ok]).toEqual([true, true]);
  });

  test.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.b.localhost",
    "ⓛocalhost",
    "127.1",
    "[::ffff:10.0.0.1]",
    "2130706433",
  ])("blocks the host %s by its address and names none", (host) => {
    const result = check(`https://${host}/`);
    expect(result).toEqual({ ok: false, blocked: true, reason: expect.stringContaining("`webhooks.allowCidrs`") });
  });

  test("localhost passes as soon as one loopback address is allowed", () => {
    const open = (cidr: string) =>
      checkUrl("https://localhost/", { allowHttp: false, policy: addressPolicy({ allowCidrs: [cidr] }) }).ok;
    expect([open("127.0.0.0/8"), open("::1/128"), open("10.0.0.0/8")]).toEqual([true, true, false]);
  });

  test.each(["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "①②⑦.⓪.⓪.①"])(
    "the URL parser turns %s into 127.0.0.1",
    (host) => {
      expect(new URL(`http://${host}/`).hostname).toBe("127.0.0.1");
    },
  );
});

describe("guardedLookup", () => {
  const policy = addressPolicy();
  const zoned = async (zone: Zone) => {
    const server = await dnsServer(zone);
    onTestFinished(server.close);
    return { ...server, lookup: guardedLookup(policy, server.resolver) };
  };

  test("gives every address of a public name, IPv4 first, and one when only one is wanted", async () => {
    const { lookup } = await zoned(() => ({ addresses: ["8.8.8.8", "1.1.1.1", "2606:4700::1111"] }));
    expect(await lookUp(lookup, "public.example")).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "1.1.1.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    const one = await new Promise((resolve) =>
      lookup("public.example", {}, (_error, address, family) => resolve([address, family])),
    );
    expect(one).toEqual(["8.8.8.8", 4]);
  });

  test.each([
    ["A private beside A public", ["8.8.8.8", "10.0.0.1"]],
    ["AAAA private beside A public", ["8.8.8.8", "::1"]],
    ["A private beside AAAA public", ["127.0.0.1", "2606:4700::1111"]],
    ["AAAA mapped", ["::ffff:7f00:1"]],
    ["AAAA NAT64", ["64:ff9b::7f00:1"]],
    ["AAAA 6to4", ["2002:7f00:1::"]],
    ["metadata service", ["169.254.169.254"]],
  ])("one blocked address blocks the name: %s", async (_case, addresses) => {
    const { lookup } = await zoned(() => ({ addresses }));
    const error = await lookUp(lookup, "attack.example").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BlockedAddressError);
    expect((error as Error).message).not.toMatch(/\d+\.\d+|::/);
  });

  test("an alias of localhost is judged by the address it ends in", async () => {
    const { lookup } = await zoned(() => ({ alias: "localhost", addresses: ["127.0.0.1"] }));
    await expect(lookUp(lookup, "alias.example")).rejects.toBeInstanceOf(BlockedAddressError);
  });

  test.each([
    ["a name that does not exist", NXDOMAIN, "ENOTFOUND"],
    ["a name without addresses", {}, "ENOTFOUND"],
    ["a server that fails", SERVFAIL, "ESERVFAIL"],
    ["a server that is silent", "silence", "ETIMEOUT"],
  ] as const)("%s is a LookupError", async (_case, answer, code) => {
    const { lookup } = await zoned(() => answer);
    const error = await lookUp(lookup, "missing.example").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LookupError);
    expect(error).toMatchObject({ code });
  });

  test("a name with only one kind of address resolves although the other kind fails", async () => {
    const { lookup } = await zoned((_name, type) => (type === "A" ? { addresses: ["8.8.8.8"] } : SERVFAIL));
    expect(await lookUp(lookup, "v4.example")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  });

  test("an injected answer that is no address is blocked", async () => {
    const resolver: AddressResolver = { resolve4: async () => ["not-an-address"], resolve6: async () => [] };
    await expect(lookUp(guardedLookup(policy, resolver), "x.example")).rejects.toBeInstanceOf(BlockedAddressError);
  });

  test("localhost never reaches DNS and gives the loopback addresses that are allowed", async () => {
    const { queries, resolver } = await zoned(() => ({ addresses: ["8.8.8.8"] }));
    const open = (allowCidrs: string[]) => guardedLookup(addressPolicy({ allowCidrs }), resolver);
    expect(await lookUp(open(["127.0.0.0/8"]), "localhost")).toEqual([{ address: "127.0.0.1", family: 4 }]);
    expect(await lookUp(open(["127.0.0.1", "::1"]), "app.localhost")).toEqual([
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
    await expect(lookUp(open([]), "localhost.")).rejects.toBeInstanceOf(BlockedAddressError);
    expect(queries).toEqual([]);
  });

  test("64 names that hang leave the thread pool free", async () => {
    const { lookup } = await zoned(() => "silence");
    const order: string[] = [];
    const names = Array.from({ length: 64 }, (_, i) =>
      lookUp(lookup, `slow${i}.example`).catch(() => order.push("name")),
    );
    await promisify(randomBytes)(16).then(() => order.push("crypto"));
    await Promise.all(names);
    expect(order[0]).toBe("crypto");
    expect(order).toHaveLength(65);
  });

  test("node asks for all addresses of a name, and asks nothing for a literal: why checkUrl has to look first", async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    onTestFinished(receiver.close);
    const asked: unknown[] = [];
    const spy: LookupFunction = (hostname, options, callback) => {
      asked.push([hostname, options.all]);
      callback(null, [{ address: "127.0.0.1", family: 4 }]);
    };
    const get = (host: string) =>
      new Promise((resolve, reject) => {
        request({ host, port: receiver.port, lookup: spy, agent: false }, (response) =>
          resolve(response.resume().statusCode),
        )
          .on("error", reject)
          .end();
      });
    expect(await get("127.0.0.1")).toBe(200);
    expect(asked).toEqual([]);
    expect(await get("name.example")).toBe(200);
    expect(asked).toEqual([["name.example", true]]);
  });
});
