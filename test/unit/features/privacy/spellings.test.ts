import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { fieldMatcher } from "../../../../src/model/restriction.ts";
import { harness } from "../../../_support/backend.ts";

const spellings = ["ssn", "SSN", "ssn[]", "ssn[0]", " ssn", "ｓｓｎ", "s\u200bsn", "s\u00adsn", "Ssn [ ]"];
const others = ["ssn2", "assn", "s-sn", "constructor", "[]"];

describe("a protected field", () => {
  it.each(spellings)("is protected as %j too", async (name) => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "A",
      self_email_notification: { recipients: ["owner@example.com"] },
      settings: { fields: { ssn: { store: "drop" } } },
    });
    const { json } = await b.post(id, { [name]: "078-05-1120", note: "hello" });
    await b.tick();
    expect(JSON.stringify(await b.submissions.get(id, json.submission_id))).not.toContain("078-05");
    expect(b.mails[0]?.text).toContain("hello");
    expect(b.mails[0]?.text).not.toContain("078-05");
  });

  it.each(spellings)("is found as %j by a list of fields", (name) => {
    expect(fieldMatcher(["ssn"])(name)).toBe(true);
  });

  it.each(others)("is not %j", async (name) => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A", settings: { fields: { ssn: { store: "drop" } } } });
    const { json } = await b.post(id, { [name]: "kept" });
    expect(JSON.stringify(await b.submissions.get(id, json.submission_id))).toContain("kept");
  });

  it.each(others)("is not found as %j by a list of fields", (name) => {
    expect(fieldMatcher(["ssn"])(name)).toBe(false);
  });
});

describe("a protected value of one or two characters", () => {
  const stored = async (referer: string, subject: string, pin = "42") => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const { id } = await b.forms.create({ name: "A", settings: { fields: { pin: { store: "drop" } } } });
    const { json } = await b.post(id, { pin, note: "x", _subject: subject }, { referer });
    const row = (await storage.get("submissions", [json.submission_id])).get(json.submission_id);
    return JSON.stringify(row?.value);
  };

  it("is in no URL and no subject", async () => {
    const text = await stored("https://site.example/?pin=42", "PIN 42!");
    expect(text).not.toContain("pin=42");
    expect(text).not.toContain("PIN 42");
  });

  it("does not keep back a text that has it within a word", async () => {
    const text = await stored("https://site.example/1427", "Order 1427");
    expect(text).toContain("site.example/1427");
    expect(text).toContain("Order 1427");
  });

  it("is no subject where it has neither letters nor digits, and may be part of one", async () => {
    expect(await stored("https://site.example/", " :: ", "::")).not.toContain("::");
    expect(await stored("https://site.example/", "a :: b", "::")).toContain("a :: b");
  });
});
