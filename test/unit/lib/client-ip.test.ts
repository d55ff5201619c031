import { expect, it } from "vitest";
import { clientIp, type TrustProxy } from "../../../src/lib/client-ip.ts";

const proxies = ["10.0.0.0/8", "2001:db8::/32"];

it.each<[string | null, string | null, TrustProxy, string | null]>([
  ["198.51.100.7", "1.2.3.4", false, "198.51.100.7"],
  ["198.51.100.7", null, true, "198.51.100.7"],
  [null, "1.2.3.4", false, null],
  ["10.0.0.1", "1.2.3.4, 5.6.7.8", true, "1.2.3.4"],
  ["10.0.0.1", "1.2.3.4, 5.6.7.8", 1, "5.6.7.8"],
  ["10.0.0.1", "1.2.3.4, 5.6.7.8", 2, "1.2.3.4"],
  ["10.0.0.1", "5.6.7.8", 5, "5.6.7.8"],
  ["10.0.0.1", "1.2.3.4, 5.6.7.8", proxies, "5.6.7.8"],
  ["10.0.0.1", "1.2.3.4, 5.6.7.8, 10.0.0.2", proxies, "5.6.7.8"],
  // Who comes without the proxy says what it likes.
  ["5.6.7.8", "1.2.3.4", proxies, "5.6.7.8"],
  // What stands before something that is no address was written by nobody who is trusted.
  ["10.0.0.1", "1.2.3.4, unknown, 10.0.0.2", proxies, "10.0.0.2"],
  ["10.0.0.1", "1.2.3.4, <script>", proxies, "10.0.0.1"],
  ["::ffff:10.0.0.1", "[2001:DB9::1]:443", proxies, "2001:db9::1"],
  ["2001:db8::1", "5.6.7.8:1234", proxies, "5.6.7.8"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", proxies, "10.0.0.3"],
])("%s with %j, trusting %j, is %s", (connection, forwarded, trust, ip) => {
  expect(clientIp(connection, forwarded, trust)).toBe(ip);
});
