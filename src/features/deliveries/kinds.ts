import { connections } from "../../lib/runtime/process.ts";
import { BATCH_LANE, DEFAULT_SERVER, type JobKind } from "../../model/jobs.ts";
import type { JobKindRow, Lanes } from "../jobs/kinds.ts";
import { optIn } from "../mail/opt-in.ts";
import { confirmation, digest, notice, ofForm, summary } from "../mail/send.ts";
import { reply } from "../messages/deliver.ts";
import { forward } from "../messages/forward.ts";
import { webhookSettled } from "./health.ts";
import { deliverHost } from "./host-webhook.ts";
import { deliverWebhook } from "./webhook.ts";

/** Mails in flight in a process: a few for each team's email server, and more for the mailer's own, which all teams share. */
const MAILS = { leaseMs: 120_000, inFlight: 64, perTarget: 8, shares: new Map([[DEFAULT_SERVER, 16]]) };

/** Deliveries to services that take several at a time: 100 wait for one call. */
const BATCHES = { inFlight: 400, perTarget: 100 };
/** A batch begins no call that could outlast its lease. */
const LEASE_CALLS = 12;

/** The lanes that workers of this process claim from. */
export const lanes: Lanes = {
  webhook: ({ webhooks: { timeoutMs, concurrency, perWebhook } }) => ({
    leaseMs: 4 * timeoutMs,
    inFlight: Math.min(concurrency, connections?.webhooks ?? concurrency),
    perTarget: perWebhook,
  }),
  email: () => ({ ...MAILS, inFlight: connections?.mails ?? MAILS.inFlight }),
  [BATCH_LANE]: ({ webhooks: { timeoutMs } }) => ({
    ...BATCHES,
    inFlight: connections ? connections.calls * BATCHES.perTarget : BATCHES.inFlight,
    leaseMs: LEASE_CALLS * timeoutMs,
  }),
};

const webhook = {
  family: "ERROR_WEBHOOK",
  span: { name: "form_backend.webhook", attributes: ({ target }) => ({ webhook_id: target }) },
  events: { succeeded: "delivery.succeeded", retrying: "delivery.retrying", failed: "delivery.failed" },
} as const satisfies Omit<JobKindRow, "run">;

const mail = {
  family: "ERROR_EMAIL",
  span: { name: "form_backend.mail", attributes: ({ kind }) => ({ kind }) },
  events: { succeeded: "email.sent", retrying: "email.retrying", failed: "email.failed" },
} as const satisfies Omit<JobKindRow, "run">;

/**
 * Every kind of job. A new one takes at most five files: its facts in `model/jobs.ts`, its row here, its work in a folder of
 * its own, its planning in `jobs/plan.ts`, and the form's leaf that enables it.
 */
export const kinds: Readonly<Record<JobKind, JobKindRow>> = {
  webhook: { ...webhook, run: deliverWebhook, settled: webhookSettled },
  host_webhook: { ...webhook, run: deliverHost },
  owner_email: { ...mail, run: ofForm },
  auto_response: { ...mail, run: ofForm },
  reply: { ...mail, run: reply },
  forward: { ...mail, run: forward },
  confirmation: { ...mail, run: optIn },
  webhook_notice: { ...mail, run: notice },
  plan_notice: { ...mail, run: notice },
  bounce_notice: { ...mail, run: notice },
  summary: { ...mail, run: summary },
  digest: { ...mail, run: digest },
  recipient_confirmation: { ...mail, run: confirmation },
};
