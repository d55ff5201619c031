import { Resolver } from "node:dns/promises";
import { expect, it, vi } from "vitest";
import { dnsResolver } from "../../../src/lib/net-guard.ts";

vi.mock("node:dns/promises", { spy: true });

it("DNS is asked twice, for 2 s each", () => {
  dnsResolver();
  expect(vi.mocked(Resolver).mock.calls).toEqual([[{ timeout: 2_000, tries: 2 }]]);
});
