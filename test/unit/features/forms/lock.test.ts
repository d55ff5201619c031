import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";
import { inboxHarness } from "../../surfaces/inbox/_inbox.ts";

const REASON = 'It asks for "passwords" <script>alert(1)</script>';

describe("a locked form", () => {
  it("refuses posts with a reason for people and a code for programs, until the host unlocks it", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "Prize" });
    expect(await b.forms.get(id)).not.toHaveProperty("locked");
    const locked = await b.forms.lock(id, { reason: REASON });
    expect(locked.locked).toEqual({ reason: REASON, at: "2026-01-01T00:00:00.000Z" });
    const answer = await b.post(id, { email: "ann@example.com" });
    expect([answer.status, answer.json.error.code]).toEqual([403, "form_locked"]);
    await expect(b.submit(id, { fields: { a: "b" } })).rejects.toMatchObject({ code: "form_locked" });
    const page = await b.post(id, "email=ann%40example.com", { accept: "text/html" });
    expect([page.status, page.text.includes("This form is locked")]).toEqual([403, true]);
    expect(page.text).not.toContain("passwords");
    await b.forms.unlock(id);
    expect((await b.post(id, { email: "ann@example.com" })).status).toBe(200);
  });

  it("stays locked whatever the team's own keys try", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "Prize" });
    await b.forms.lock(id, { reason: REASON });
    const patch = await b.call("PATCH", `/v1/forms/${id}`, { body: { active: true } });
    expect([patch.status, "locked" in patch.json]).toEqual([200, false]);
    const forged = await b.call("PATCH", `/v1/forms/${id}`, { body: { locked: null } });
    expect([forged.status, forged.json.error.code]).toEqual([400, "invalid_parameter"]);
    expect((await b.post(id, { a: "b" })).json.error.code).toBe("form_locked");
  });

  it("tells its team why in the inbox, with the reason as text", async () => {
    const backend = inboxHarness();
    const { id } = await backend.forms.create({ name: "Prize" });
    await backend.forms.lock(id, { reason: REASON });
    const { text } = await backend.as({ role: "viewer" }).get(`/f/${id}`);
    expect(text).toContain("has locked it: It asks for &quot;passwords&quot; &lt;script&gt;");
    expect(text).not.toContain("<script>alert");
  });

  it("sends nothing to visitors any more, and still tells its owner of what came before", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "Prize",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"] },
      auto_response: { enabled: true },
    });
    await b.submit(id, { fields: { email: "ann@example.com" } });
    await b.forms.lock(id, { reason: REASON });
    await b.tick();
    const jobs = await b.jobs.list({ form_id: id });
    expect(Object.fromEntries(jobs.map(({ kind, code }) => [kind, code]))).toEqual({
      owner_email: "SUCCESS",
      auto_response: "SKIPPED_FORM_LOCKED",
    });
  });

  it("does not take what waits for a confirmation, which waits on", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "Prize",
      spam: { protection: false },
      settings: { double_opt_in: { enabled: true } },
    });
    await b.submit(id, { fields: { email: "ann@example.com" } });
    await b.forms.lock(id, { reason: REASON });
    await b.tick();
    const [optIn] = await b.jobs.list({ form_id: id });
    expect(optIn?.code).toBe("SKIPPED_FORM_LOCKED");
  });

  it("names a reason that is missing or too long, and a form that is not there", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    await expect(b.forms.lock(id, { reason: " " })).rejects.toMatchObject({ param: "reason" });
    await expect(b.forms.lock(id, { reason: "x".repeat(501) })).rejects.toMatchObject({ param: "reason" });
    await expect(b.forms.lock("nothing", { reason: "A" })).rejects.toMatchObject({ code: "form_not_found" });
    await expect(b.forms.unlock("nothing")).rejects.toMatchObject({ code: "form_not_found" });
    expect(await b.forms.unlock(id)).not.toHaveProperty("locked");
  });
});
