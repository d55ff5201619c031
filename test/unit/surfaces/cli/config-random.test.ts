import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../_support/runs.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected, parsed } from "../../../_support/terminal.ts";

const some = <T extends object>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: [] });
const text = fc.string({ unit: "grapheme", maxLength: 20 }).map((value) => value.replace(/[\r\n{}]/g, ""));
const email = fc.constantFrom("ann@example.com", "ANN@example.com", "bob@example.com", "zoë@exämple.com");
const url = fc.constantFrom("", "https://example.com/thanks", "https://EXAMPLE.com/a b?q=ü");
const name = fc.constantFrom("email", "an email", "__proto__", "constructor", "a.b");
const named = <T>(value: fc.Arbitrary<T>, names = name) =>
  fc
    .array(fc.tuple(names, value), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries.filter(([key]) => key !== "__proto__")));
const check = fc.oneof(
  fc.record({ type: fc.constant("required" as const) }),
  fc.record({ type: fc.constant("max_length" as const), value: fc.nat(999).map(String), message: text }),
);

const form = some({
  active: fc.boolean(),
  folder_id: fc.option(fc.constant("folder"), { nil: null }),
  storage: some({ store_submissions: fc.boolean() }),
  spam: some({
    protection: fc.boolean(),
    captcha: some({ secret_key: fc.constantFrom("", `6L${"x".repeat(38)}`) }),
  }),
  self_email_notification: some({
    enabled: fc.boolean(),
    recipients: fc.array(email, { maxLength: 4 }),
    subject: text,
    template: some({ html: fc.constantFrom("", "<b>{{name}}</b>") }),
    sender: some({ name: text }),
  }),
  auto_response: some({ enabled: fc.boolean(), template: some({ message: text }) }),
  after_submit: some({
    page: some({ theme: fc.constantFrom("fancy", "formal", "sweet"), return_button: some({ text, url }) }),
    redirect: some({ success_url: url, append_submission_to_url: fc.boolean() }),
  }),
  validation: some({
    enabled: fc.boolean(),
    rules: fc.array(fc.record({ field: name, checks: fc.array(check, { maxLength: 2 }) }), { maxLength: 2 }),
  }),
  settings: some({
    language: fc.constantFrom("auto", "en"),
    allowed_origins: fc.subarray(["https://example.com", "https://www.example.com:8443"]),
    require_token: fc.boolean(),
    labels: named(fc.option(fc.constant("Label"), { nil: null })),
    fields: named(
      fc.option(some({ store: fc.constantFrom("plain", "hash", "drop"), email: fc.constantFrom("show", "mask") }), {
        nil: null,
      }),
      // A confirmation needs the field `email` in clear.
      fc.constantFrom("an email", "constructor", "a.b"),
    ),
    double_opt_in: some({ enabled: fc.boolean(), expires: fc.constantFrom("1_days", "30_days") }),
    statistics: some({ enabled: fc.boolean() }),
  }),
  webhooks: fc.oneof(
    fc.constant({}),
    fc.record({
      crm: fc.oneof(
        fc.constant(null),
        fc.record({
          url: fc.constantFrom("https://a.example.com/in", "https://A.example.com/in?x=ü"),
          enabled: fc.boolean(),
        }),
      ),
    }),
  ),
});

it("has nothing to plan after an apply, whatever the forms were and shall be", { timeout: 300_000 }, async () => {
  const cwd = temporaryDirectory();
  const { cli, backend } = connected({ cwd }, { rateLimit: false });
  const changes = async () => {
    const { code, out, err } = await cli("plan", "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return (parsed(out)[0] as { changes: unknown[] }).changes;
  };
  await fc.assert(
    fc.asyncProperty(form, fc.boolean(), async (random, active) => {
      // A form of this shape may not exist yet, so it always has a name.
      writeFileSync(
        join(cwd, "forms.config.json"),
        JSON.stringify({ forms: { contact: { name: "Contact", ...random, active } } }),
      );
      const applied = await cli("apply");
      expect({ code: applied.code, err: applied.err.match(/error.*/)?.[0] }).toEqual({ code: 0, err: undefined });
      expect(await changes()).toEqual([]);

      const [made] = (await backend.forms.list()).data;
      await backend.forms.update(made!.id, { active: !active });
      expect(await changes()).toEqual([
        { action: "update", form: "contact", path: "active", before: !active, after: active },
      ]);
    }),
    { numRuns: runs(40, 200) },
  );
});
