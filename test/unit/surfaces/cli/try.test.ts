import { describe, expect, it } from "vitest";
import { connected, parsed, terminal } from "../../../_support/terminal.ts";

async function withForm() {
  const shell = connected();
  const { id } = await shell.backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
    validation: { enabled: true, rules: [{ field: "email", checks: [{ type: "email", message: "No address." }] }] },
    settings: { key: "contact", spam: { words: ["casino"] } },
  });
  return { ...shell, id };
}

describe("try", () => {
  it("shows what a post would do, and stores nothing", async () => {
    const { cli, backend, id } = await withForm();
    const { code, out } = await cli("try", "contact", "-d", "email=ann@example.com", "note=a=b", "-d", "x=\u001b[2Jy");
    expect(code).toBe(0);
    expect(out).toMatch(/^result {3}stored$/m);
    expect(out).toMatch(/^field {4}note=a=b$/m);
    expect(out).toMatch(/^email {4}owner_email to owner@example\.com: /m);
    expect(out).not.toContain("\u001b");
    expect((await cli("try", id, "--data", "message=casino")).out).toMatch(/^check {4}blocked_word: spam, casino$/m);
    const refused = await cli("try", "contact", "-d", "email=nobody");
    expect(refused.code).toBe(0);
    expect(refused.out).toMatch(/^error {4}email: No address\. \(email\)$/m);
    expect((await backend.submissions.list(id, { status: "all" })).data).toEqual([]);
  });

  it("prints the whole result as JSON", async () => {
    const { cli } = await withForm();
    const { out } = await cli("try", "contact", "-d", "email=ann@example.com", "--json");
    expect(parsed(out)).toMatchObject([{ dry_run: true, accepted: true, emails: [{ kind: "owner_email" }] }]);
  });

  it("refuses data without a name, and passes on what the server refuses", async () => {
    const { cli, backend, io } = await withForm();
    expect(await cli("try", "contact", "-d", "=x")).toMatchObject({ code: 64 });
    expect((await cli("try", "contact")).code).toBe(64);
    const { key } = await backend.keys.create({ name: "k", scopes: ["forms:read"] });
    const weak = terminal({ ...io, env: { ...io.env, FORM_BACKEND_KEY: key } });
    const { code } = await weak.cli("try", "contact", "-d", "a=b");
    expect(code).toBe(3);
  });
});
