/** A product of RFC 9110, 10.1.5, made of a name in any script. */
export function userAgentNamed(name: string): string {
  const token = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "-");
  return `${token || "Forms"}-Webhooks/1`;
}
