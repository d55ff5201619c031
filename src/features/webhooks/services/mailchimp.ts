import { createHash } from "node:crypto";
import { z } from "zod";
import { wrongParameter } from "../../../errors.ts";
import { isEmail } from "../../../lib/email.ts";
import { parseInput } from "../../../lib/input.ts";
import { DestinationConfigInput, SET } from "../../../model/destinations.ts";
import type { Config } from "../formats/types.ts";
import { type Call, listAt, type Reply, ServiceError, said, textAt } from "./call.ts";
import { fieldOf, mappedOf, withoutAddress } from "./contacts.ts";
import { limited, pausing, unexpected } from "./faults.ts";
import type { Entry, Result, Service } from "./types.ts";

const SERVICE = "Mailchimp";
const input = DestinationConfigInput.shape;

const Complete = z.strictObject({
  api_key: input.api_key.unwrap(),
  list_id: input.list_id.unwrap(),
  email_field: input.email_field.unwrap().default("email"),
  merge_fields: z.record(z.string(), z.string()).default({}),
  tags: input.tags.unwrap().default([]),
  double_opt_in: input.double_opt_in.unwrap().default(true),
});
type MailchimpConfig = z.output<typeof Complete>;
const read = (config: Config): MailchimpConfig => config as unknown as MailchimpConfig;

/** The data centre of a key, which is the end of it. */
const centreOf = (key: string): string | undefined => /^\S+-([a-z]{2,4}\d{1,4})$/.exec(key)?.[1];

const listUrl = (config: Config, apiUrl: string): string => {
  const { api_key, list_id } = read(config);
  return `${apiUrl || `https://${centreOf(api_key)}.api.mailchimp.com`}/3.0/lists/${list_id}`;
};

/** An audience of Mailchimp: each submission adds or updates the contact of its address. */
export const mailchimp: Service = {
  complete(config) {
    const whole = parseInput(Complete, config, "config");
    if (!centreOf(whole.api_key))
      throw wrongParameter("config.api_key", "has no data centre at its end, such as -us21; copy the whole key");
    for (const tag of Object.keys(whole.merge_fields))
      if (!/^[A-Z0-9_]{1,10}$/.test(tag))
        throw wrongParameter(
          `config.merge_fields.${tag}`,
          "must be named by a merge tag of the audience, such as FNAME",
        );
    return whole;
  },
  shown(config) {
    const { api_key: _, ...rest } = read(config);
    return { ...rest, api_key: SET };
  },
  address: (config, { mailchimp: { apiUrl } }) => listUrl(config, apiUrl),
  // 10 connections at a time.
  pace: { entries: 8, requests: 8, ms: 50 },
  rateOf: ({ config }) => `mailchimp ${createHash("sha256").update(read(config).api_key).digest("hex")}`,
  open:
    ({ mailchimp: { apiUrl } }) =>
    (entries, { config, call }) => {
      const authorization = `Basic ${Buffer.from(`key:${read(config).api_key}`).toString("base64")}`;
      const authorized: Call = (url, request) => call(url, { ...request, headers: { authorization } });
      return Promise.all(
        entries.map((entry) =>
          putMember(entry, read(config), listUrl(config, apiUrl), authorized).catch((error: unknown): Result => {
            if (!(error instanceof ServiceError)) throw error;
            return { end: error.end, fault: error.fault };
          }),
        ),
      );
    },
  preview: (entry, config) => JSON.stringify(memberOf(entry, read(config))),
};

function memberOf(entry: Entry, { email_field, merge_fields, double_opt_in }: MailchimpConfig) {
  const merged = mappedOf(entry, merge_fields);
  return {
    email_address: fieldOf(entry, email_field).trim(),
    // `status` would subscribe somebody again who has left.
    status_if_new: double_opt_in ? "pending" : "subscribed",
    ...(Object.keys(merged).length > 0 && { merge_fields: merged }),
  };
}

async function putMember(entry: Entry, config: MailchimpConfig, list: string, call: Call): Promise<Result> {
  const member = memberOf(entry, config);
  const address = member.email_address;
  if (!isEmail(address)) return withoutAddress(config.email_field);
  const at = `${list}/members/${createHash("md5").update(address.toLowerCase()).digest("hex")}`;
  const reply = await call(at, { method: "PUT", json: member });
  if (!reply.ok) throw mailchimpFault(reply);
  if (config.tags.length > 0) {
    const tags = config.tags.map((name) => ({ name, status: "active" }));
    const tagged = await call(`${at}/tags`, { method: "POST", json: { tags } });
    if (!tagged.ok) throw mailchimpFault(tagged);
  }
  return { end: "delivered" };
}

function mailchimpFault(reply: Reply): ServiceError {
  const { status } = reply;
  const title = textAt(reply.json, "title");
  const errors = listAt(reply.json, "errors").map((one) => `${textAt(one, "field")}: ${textAt(one, "message")}`);
  if (status === 401 || status === 403) return pausing(status, "mailchimp_key_refused");
  if (status === 404) return pausing(status, "mailchimp_no_list");
  if (status === 429) return limited(SERVICE, reply, 10);
  if (status === 400 && title === "Member In Compliance State")
    return new ServiceError("failed", {
      code: "ERROR_WEBHOOK_HTTP_4XX",
      status,
      message:
        "Mailchimp adds this contact no more, because they have left, bounced or been deleted for good. Only they can subscribe again, on a form of Mailchimp.",
      ours: true,
    });
  return unexpected(SERVICE, reply, said([title, textAt(reply.json, "detail"), ...errors].filter(Boolean).join(" ")));
}
