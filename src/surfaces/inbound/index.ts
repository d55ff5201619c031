export type { Bounce, InboundFile, InboundMail, InboundRequest, Received } from "../../model/inbound.ts";
export type { Inbound, InboundProvider } from "../api/kernel.ts";
export { type MailgunInboundOptions, mailgunInbound } from "./mailgun.ts";
export { type PostmarkInboundOptions, postmarkInbound } from "./postmark.ts";
export { type RawInboundOptions, rawInbound } from "./raw.ts";
export { type ResendInboundOptions, resendInbound } from "./resend.ts";
export { type SesInboundOptions, sesInbound } from "./ses.ts";
