import { vi } from "vitest";
import { fuzzTags } from "./_fuzz.ts";

// Nothing here asks the name servers of this machine.
vi.mock("../../../../../src/lib/sender-dns/dns.ts", () => ({
  dnsOf: () => ({ texts: async () => [], addresses: async () => [] }),
}));

fuzzTags(["Forms", "Recipients", "Images", "Submissions", "Data subjects"], false);
