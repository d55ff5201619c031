import type { Bounce, InboundMail } from "../../model/inbound.ts";

const REPORTS = new Set(["message/delivery-status", "message/feedback-report"]);
const MOST_BYTES = 64 * 1024;
const MOST = 50;

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, MOST_BYTES));

/** Fields of a block such as `Status: 5.1.1`, names in lower case, folded lines joined. */
const fieldsIn = (block: string): Map<string, string> =>
  new Map(
    block
      .replace(/\r?\n[ \t]+/g, " ")
      .split(/\r?\n/)
      .flatMap((line) => {
        const at = line.indexOf(":");
        return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as [string, string]];
      }),
  );

const addressIn = (value: string | undefined): string => (value ?? "").replace(/^.*;/, "").replace(/[<>]/g, "").trim();

/** The bounces that a mail reports: a delivery status (RFC 3464), or a complaint (RFC 5965). Null for every other mail. */
export function reportIn({ files, headers, text }: InboundMail): Bounce[] | null {
  const report = files.find(({ mime_type }) => REPORTS.has(mime_type.toLowerCase()));
  const isReport = headers.some(([name, value]) => name === "content-type" && /multipart\/report/i.test(value));
  const body = report ? decode(report.content) : isReport ? text.slice(0, MOST_BYTES) : "";
  if (body === "") return null;
  const blocks = body
    .split(/\r?\n[ \t]*\r?\n/)
    .map(fieldsIn)
    .slice(0, MOST);
  const original = files
    .filter(({ mime_type }) => /^(message\/rfc822|text\/rfc822-headers|message\/global)/i.test(mime_type))
    .map(({ content }) => fieldsIn(decode(content).split(/\r?\n\r?\n/, 1)[0] ?? ""));
  const ids = original.flatMap((fields) => fields.get("message-id")?.replace(/[<>]/g, "").trim() ?? []);
  const complaint = blocks.find((fields) => fields.has("feedback-type"));
  if (complaint) {
    const type = complaint.get("feedback-type")?.toLowerCase() ?? "";
    // Somebody took a mail out of the spam folder.
    if (type === "not-spam") return [];
    const email = addressIn(complaint.get("original-rcpt-to")) || addressIn(original[0]?.get("to"));
    return [{ kind: "complaint", email, ids, reason: type }];
  }
  const bounces = blocks.flatMap((fields): Bounce[] => {
    const action = fields.get("action")?.toLowerCase();
    const email = addressIn(fields.get("original-recipient")) || addressIn(fields.get("final-recipient"));
    if (email === "" || (action !== "failed" && action !== "delayed")) return [];
    const status = fields.get("status") ?? "";
    const hard = action === "failed" && status.startsWith("5");
    return [
      { kind: hard ? "hard" : "soft", email, ids, reason: `${status} ${fields.get("diagnostic-code") ?? ""}`.trim() },
    ];
  });
  return bounces.length > 0 || report ? bounces : null;
}
