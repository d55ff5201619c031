import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createWebhookClient, type WebhookClientOptions } from "../../../../src/features/webhooks/request.ts";
import { type AddressResolver, addressPolicy, checkUrl } from "../../../../src/lib/net-guard.ts";
import { httpReceiver, type Receiver, tcpReceiver } from "../../../_support/receivers.ts";
import { dnsServer, type Zone } from "../../lib/dns-server.ts";

/** Listens on every address of the machine, loopback and private ones alike; nothing below may reach it. */
let canary: Receiver;
beforeAll(async () => {
  canary = await httpReceiver((request, response) => request.resume().on("end", () => response.end("canary")), "::");
});
afterAll(() => canary.close());

const policy = addressPolicy();
const post = (url: string, options: Partial<WebhookClientOptions> = {}) => {
  const client = createWebhookClient({ policy, allowHttp: true, timeoutMs: 2_000, ...options });
  onTestFinished(client.close);
  return client.post(url, { body: "{}" });
};
const zoned = async (zone: Zone) => {
  const server = await dnsServer(zone);
  onTestFinished(server.close);
  return server;
};
/** Every name leads to this machine. */
const home: AddressResolver = { resolve4: async () => ["127.0.0.1"], resolve6: async () => ["::1"] };

const loopback =
  `127.0.0.1 127.1 127.0.1 127.0.0.2 127.255.255.254 2130706433 0x7f000001 0x7F000001 0x7f.1 0x7f.0x0.0x0.0x1 0177.0.0.1 0177.1
  017700000001 127.0.0.01 127.000.000.001 127.0.0.1. ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 １２７.0.0.1 127%2e0%2e0%2e1 %31%32%37.0.0.1 0.0.0.0 0 0x0
  00000000000 0.1 [::1] [::] [0:0:0:0:0:0:0:1] [0000::0001] [::0001] [::ffff:127.0.0.1] [::FFFF:7f00:1] [0:0:0:0:0:ffff:127.0.0.1]
  [::ffff:0.0.0.0] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::]
  [2001::7f00:1] localhost LOCALHOST localhost. app.localhost a.b.LocalHost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost`.split(/\s+/);
const reserved =
  `10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 2852039166 0xa9fea9fe 169.254.43518 [::ffff:169.254.169.254]
  [::ffff:a9fe:a9fe] [fd00:ec2::254] 100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
  240.0.0.1 255.255.255.255 [fe80::1] [fc00::1] [fec0::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1] [4000::1]`.split(
    /\s+/,
  );
const names =
  "canary.example 127.0.0.1.example localhost.example metadata.google.internal 1.0.0.127.in-addr.arpa".split(" ");
const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ address }) => !policy.allows(address) && !address.startsWith("fe80:"))
  .map(({ address }) => (address.includes(":") ? `[${address}]` : address));

describe("no spelling of a URL reaches the canary (S4)", () => {
  const hosts = [...new Set([...loopback, ...reserved, ...names, ...own])];
  const urls: [string, string][] = [
    ...hosts.map((host): [string, string] => [`http://${host}:PORT/`, "ERROR_WEBHOOK_BLOCKED_ADDRESS"]),
    ["http:127.0.0.1:PORT", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http:/127.0.0.1:PORT/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http:\\\\127.0.0.1:PORT\\", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http:////127.0.0.1:PORT/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    [" http://127.0.0.1:PORT/ ", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["HTTP://127.0.0.1:PORT/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http://127.0.0.1:0PORT/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http://127.0.0.1:PORT\\@public.example/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http://127.0.0.1:PORT?@public.example/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["https://127.0.0.1:PORT/", "ERROR_WEBHOOK_BLOCKED_ADDRESS"],
    ["http://127.0.0.1:PORT#@public.example/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://public.example@127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://public.example:80@127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://public.example%40127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://127.0.0.1%00.example:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://127.0.0\t.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["ht\ntp://127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://[::1%25lo]:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://[fe80::1%eth0]:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://256.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://127.0.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["//127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["127.0.0.1:PORT", "ERROR_WEBHOOK_INVALID_URL"],
    ["/", "ERROR_WEBHOOK_INVALID_URL"],
    ["ftp://127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["gopher://127.0.0.1:PORT/_x", "ERROR_WEBHOOK_INVALID_URL"],
    ["ws://127.0.0.1:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["file://127.0.0.1/etc/passwd", "ERROR_WEBHOOK_INVALID_URL"],
    ["unix:/var/run/docker.sock", "ERROR_WEBHOOK_INVALID_URL"],
    ["http://xn--localhost.example:PORT/", "ERROR_WEBHOOK_INVALID_URL"],
    ["data:text/plain,x", "ERROR_WEBHOOK_INVALID_URL"],
    ["javascript:fetch('http://127.0.0.1:PORT')", "ERROR_WEBHOOK_INVALID_URL"],
    ["blob:http://127.0.0.1:PORT/x", "ERROR_WEBHOOK_INVALID_URL"],
  ];

  test("the table has at least 60 spellings", () => expect(urls.length).toBeGreaterThanOrEqual(60));

  test.each(urls)("%s is %s", async (pattern, code) => {
    const outcome = await post(pattern.replace("PORT", String(canary.port)), { resolver: home });
    const blocked = code === "ERROR_WEBHOOK_BLOCKED_ADDRESS";
    expect(outcome).toMatchObject({ ok: false, code, node_error_code: blocked ? "EBLOCKED" : "ERR_INVALID_URL" });
    // A message that named what a host resolves to would map the network behind us.
    expect(outcome.message).not.toMatch(/\d+\.\d+\.\d+|::/);
    expect(canary.seen.connections).toBe(0);
  });

  test.each(urls.filter(([pattern]) => !names.some((name) => pattern.includes(name))))(
    "%s is refused when it is saved, too",
    (pattern) => {
      expect(checkUrl(pattern.replace("PORT", "8080"), { allowHttp: true, policy }).ok).toBe(false);
    },
  );

  test.each([1, 21, 22, 23, 25, 53, 81, 110, 143, 445, 587, 993, 1_023])("port %i is refused", async (port) => {
    expect(await post(`http://public.example:${port}/`, { resolver: home })).toMatchObject({
      code: "ERROR_WEBHOOK_INVALID_URL",
    });
  });

  test("http is refused unless it is allowed", async () => {
    const outcome = await post(`http://127.0.0.1:${canary.port}/`, {
      allowHttp: false,
      policy: addressPolicy({ allowCidrs: ["127.0.0.1"] }),
    });
    expect([outcome.code, canary.seen.connections]).toEqual(["ERROR_WEBHOOK_INVALID_URL", 0]);
  });
});

describe("names that change their minds (S4)", () => {
  test.each<[string, Zone]>([
    ["A public and A loopback", () => ({ addresses: ["8.8.8.8", "127.0.0.1"] })],
    ["A public and AAAA loopback", () => ({ addresses: ["8.8.8.8", "::1"] })],
    ["AAAA public and A private", () => ({ addresses: ["2606:4700::1111", "10.0.0.1"] })],
    ["AAAA mapped", () => ({ addresses: ["::ffff:7f00:1"] })],
    ["AAAA NAT64", () => ({ addresses: ["64:ff9b::7f00:1"] })],
    ["a CNAME of localhost", () => ({ alias: "localhost", addresses: ["127.0.0.1", "::1"] })],
    ["a CNAME of a private name", () => ({ alias: "db.internal", addresses: ["192.168.1.5"] })],
  ])("%s", async (_name, zone) => {
    const { resolver } = await zoned(zone);
    const outcome = await post(`http://attack.example:${canary.port}/`, { resolver });
    expect(outcome).toMatchObject({ code: "ERROR_WEBHOOK_BLOCKED_ADDRESS", node_error_code: "EBLOCKED" });
    expect(canary.seen.connections).toBe(0);
  });

  test("rebinding: a name that alternates is judged by the very answer that is connected to", async () => {
    // 127.0.0.2 plays the public address; the same port of 127.0.0.1 is the canary's.
    const open = addressPolicy({ allowCidrs: ["127.0.0.2"] });
    let round = 0;
    const { resolver, queries } = await zoned((_name, type) =>
      type === "AAAA" ? {} : { addresses: [round++ % 2 === 0 ? "127.0.0.2" : "127.0.0.1"] },
    );
    const gate = await httpReceiver(
      (request, response) => request.resume().on("end", () => response.end()),
      "127.0.0.2",
    );
    const trap = await tcpReceiver(() => {}, "127.0.0.1", gate.port);
    onTestFinished(gate.close);
    onTestFinished(trap.close);
    const codes: string[] = [];
    // A client for each, because a kept connection would need no look-up.
    for (let i = 0; i < 10; i++)
      codes.push((await post(`http://rebind.example:${gate.port}/`, { policy: open, resolver })).code);
    expect(codes).toEqual(Array.from({ length: 5 }, () => ["SUCCESS", "ERROR_WEBHOOK_BLOCKED_ADDRESS"]).flat());
    expect(queries.filter((query) => query.startsWith("A "))).toHaveLength(10);
    expect([gate.seen.connections, trap.seen.connections]).toEqual([5, 0]);
  });

  test("the address is judged again on connect, before a byte leaves", async () => {
    let bytes = 0;
    const peer = await tcpReceiver((socket) =>
      socket.on("data", (data) => {
        bytes += data.length;
      }),
    );
    onTestFinished(peer.close);
    const answers = [true, false];
    const outcome = await post(`http://late.example:${peer.port}/`, {
      policy: { allows: () => answers.shift() ?? false },
      resolver: { resolve4: async () => ["127.0.0.1"], resolve6: async () => [] },
    });
    expect(outcome).toMatchObject({ code: "ERROR_WEBHOOK_BLOCKED_ADDRESS", node_error_code: "EBLOCKED" });
    expect([peer.seen.connections, bytes]).toEqual([1, 0]);
  });

  test("a name that does not exist, or whose servers fail, is a DNS error", async () => {
    const { resolver } = await zoned((name) => (name === "missing.example" ? { rcode: 3 } : { rcode: 2 }));
    expect(await post("http://missing.example/", { resolver })).toMatchObject({
      code: "ERROR_WEBHOOK_DNS",
      node_error_code: "ENOTFOUND",
    });
    expect(await post("http://failing.example/", { resolver })).toEqual({
      ok: false,
      code: "ERROR_WEBHOOK_DNS",
      node_error_code: "ESERVFAIL",
      message: "The name failing.example could not be resolved (ESERVFAIL).",
      duration_ms: expect.any(Number),
    });
  });

  test("a DNS server that refuses the connection is a DNS error, not a refused receiver", async () => {
    const refused = () => Promise.reject(Object.assign(new Error("queryA ECONNREFUSED"), { code: "ECONNREFUSED" }));
    const outcome = await post("http://x.example/", { resolver: { resolve4: refused, resolve6: refused } });
    expect(outcome).toMatchObject({ code: "ERROR_WEBHOOK_DNS", node_error_code: "ECONNREFUSED" });
  });
});

// Runs last: it is what makes the zeros above mean something.
test("the canary is alive: allowCidrs opens it, by address, by localhost and by name", async () => {
  const before = canary.seen.connections;
  const open = {
    policy: addressPolicy({ allowCidrs: ["127.0.0.0/8"] }),
    resolver: { resolve4: async () => ["127.0.0.1"], resolve6: async () => [] },
  };
  for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost", "canary.example"]) {
    expect([host, (await post(`http://${host}:${canary.port}/`, open)).code]).toEqual([host, "SUCCESS"]);
  }
  expect([before, canary.seen.connections]).toEqual([0, 5]);
});
