/** The first bytes of a response as text, at most `most`; the rest is cancelled, so a server that never ends takes no memory. */
export async function beginningOf({ body }: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.byteLength;
    if (size >= most) break;
  }
  return Buffer.concat(parts).toString("utf8", 0, most);
}
