import { expect } from "vitest";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { verifyWebhook } from "../../../src/features/webhooks/verify.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { harness } from "../backend.ts";
import { httpReceiver } from "../receivers.ts";
import type { Populated } from "./populate.ts";

const HOUR = 60 * 60_000;

/** Uses a store that an earlier version has written: everything is read, listed and changed, and what was pending arrives. */
export async function useAsBefore(
  storage: StorageDriver,
  made: Omit<Populated, "consentForm" | "waiting" | "draft">,
  writtenAt: string,
): Promise<void> {
  const arrived: { body: string; headers: Record<string, string> }[] = [];
  const receiver = await httpReceiver(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    arrived.push({ body, headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  const b = harness({
    storage,
    clock: testClock(Date.parse(writtenAt) + HOUR),
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  });
  const key = made.key.key;
  const [first = "", again = "", spam = "", pending = ""] = made.submissions;
  try {
    const forms = await b.call("GET", "/v1/forms", { key });
    expect(forms.json.data.map(({ id }: { id: string }) => id).sort()).toEqual(
      [made.form, made.transientForm, made.lockedForm].sort(),
    );
    expect(await b.teams.get(made.team)).toMatchObject({ name: "Acme", owner: { email: "owner@acme.test" } });
    expect((await b.keys.list({ team_id: made.team })).map(({ id }) => id)).toEqual([made.key.id]);
    expect(await b.emailServers.list()).toMatchObject([{ id: made.server, password_set: true }]);
    const form = await b.call("GET", `/v1/forms/${made.form}`, { key });
    expect(form.json).toMatchObject({
      name: "Everything",
      avatar: "🎯",
      submissions: { all_time: 4 },
      self_email_notification: { sender: { server_id: made.server } },
      webhooks: [{ id: made.webhook.id, last_delivery: { status: "retrying", response_status: 500 } }],
    });
    const stored = await b.call("GET", `/v1/forms/${made.form}/submissions?status=all&order=asc`, { key });
    expect(stored.json.data.map(({ id }: { id: string }) => id)).toEqual(made.submissions);
    expect(stored.json.data[0]).toMatchObject({ ip: "203.0.113.9", attachments: [{ key: "cv" }] });
    expect((await b.submissions.list(made.deletedForm)).data).toHaveLength(1);

    // What was planned by the earlier version is delivered by this one, signed with the secret that was shown then.
    await b.webhooks.update(made.form, made.webhook.id, { url: `http://127.0.0.1:${receiver.port}/` });
    await b.tick();
    expect(arrived.map(({ body }) => JSON.parse(body).data.id).sort()).toEqual([again, pending].sort());
    for (const { body, headers } of arrived) {
      expect(() => verifyWebhook(body, headers, made.webhook.secret, { now: b.clock.now() })).not.toThrow();
    }
    expect(b.mails.map(({ to }) => to.address).sort()).toEqual(
      ["ann@acme.test", "ann@acme.test", "ann@acme.test", "bob@acme.test", "bob@acme.test", "cleo@example.com"].sort(),
    );
    expect(await b.deliveries.get(made.form, made.webhook.id, again)).toMatchObject({
      status: "succeeded",
      attempt: 2,
    });

    // Records of then are changed, and delivered again.
    await b.deliveries.redeliver(made.form, made.webhook.id, first);
    await b.submissions.update(made.form, spam, { spam: false }, { deliver: true });
    await b.forms.update(made.form, { name: "Renamed" });
    const { id } = await b.submit(made.form, { fields: { name: "Dan" } });
    await b.tick();
    expect(
      arrived
        .slice(2)
        .map(({ body }) => JSON.parse(body).data.id)
        .sort(),
    ).toEqual([first, spam, id].sort());
    expect((await b.forms.get(made.form)).name).toBe("Renamed");
    expect((await b.jobs.list({ submission_id: id })).map(({ status }) => status)).toEqual(
      expect.arrayContaining(["succeeded"]),
    );
    await expect(b.sweep()).resolves.toMatchObject({ submissions: 0 });
  } finally {
    await b.close();
    await receiver.close();
  }
}
