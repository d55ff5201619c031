import { BlockList, isIP } from "node:net";

/** A range of addresses. */
export interface Cidr {
  readonly address: string;
  readonly bits: number;
  readonly type: "ipv4" | "ipv6";
}

/** Parses a range such as `10.0.0.0/8`; an address alone is a range of one. Returns null if the text is neither. */
export function parseCidr(text: string): Cidr | null {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(bits <= most)) return null;
  return { address, bits, type: family === 4 ? "ipv4" : "ipv6" };
}

/** Makes a list of ranges to check addresses against. Throws the error of `fault` for a text that is not a range. */
export function cidrList(texts: readonly string[], fault: (text: string) => Error): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const cidr = parseCidr(text);
    if (!cidr) throw fault(text);
    list.addSubnet(cidr.address, cidr.bits, cidr.type);
  }
  return list;
}
