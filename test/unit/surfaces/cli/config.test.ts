import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memberTwice } from "../../../../src/surfaces/cli/config/twice.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected, parsed } from "../../../_support/terminal.ts";
import { pixelPng } from "../../features/images/_images.ts";
import { formOf } from "../inbox/_form.ts";
import { inboxHarness } from "../inbox/_inbox.ts";

/** A backend and a folder with a file of forms. */
function project(
  over: Parameters<typeof connected>[0] = {},
  options: Parameters<typeof connected>[1] = { plans: { unlimited: { webhooks_per_form: 10 } } },
) {
  const cwd = temporaryDirectory();
  const shell = connected({ cwd, ...over }, options);
  const write = (config: unknown): void => writeFileSync(join(cwd, "forms.config.json"), JSON.stringify(config));
  const changes = async (...args: string[]) => {
    const { code, out, err } = await shell.cli("plan", "--json", ...args);
    expect({ code, err }).toMatchObject({ code: 0 });
    return (
      parsed(out)[0] as { changes: { action: string; form: string; path: string; before: unknown; after: unknown }[] }
    ).changes;
  };
  const form = async (key: string) => {
    const { data } = await shell.backend.forms.list();
    return data.find(({ settings }) => settings.key === key);
  };
  return { ...shell, cwd, write, changes, form };
}

const contact = {
  name: "Contact",
  self_email_notification: { recipients: ["owner@example.com"] },
  settings: { labels: { email: "Your email" } },
  webhooks: { crm: { url: "https://crm.example.com/in" } },
};

describe("plan and apply", () => {
  it("create, change leaf by leaf, and leave alone what is not written", async () => {
    const { cli, backend, write, changes, form } = project();
    write({ forms: { contact } });
    const planned = await cli("plan");
    expect(planned.out).toMatch(/^\+ contact\n {4}name: "Contact"\n/);
    expect(planned.out).toContain("1 to create, 0 to change, 0 to delete.");
    expect((await backend.forms.list()).data).toEqual([]);

    const applied = await cli("apply");
    expect(applied.code).toBe(0);
    expect(applied.err).toMatch(/the secret of the webhook crm, shown only now: whsec_/);
    expect(await changes()).toEqual([]);
    const made = await form("contact");
    expect(made).toMatchObject({
      name: "Contact",
      webhooks: [{ description: "crm", url: "https://crm.example.com/in" }],
    });

    await backend.forms.update(made!.id, {
      active: false,
      self_email_notification: { subject: "By hand", recipients: ["other@example.com"] },
      settings: { labels: { email: "Mail", name: "Name" } },
    });
    await backend.webhooks.update(made!.id, made!.webhooks[0]!.id, {
      enabled: false,
      url: "https://elsewhere.example.com/in",
    });
    expect(await changes()).toEqual([
      {
        action: "update",
        form: "contact",
        path: "self_email_notification.recipients",
        before: ["other@example.com"],
        after: ["owner@example.com"],
      },
      { action: "update", form: "contact", path: "settings.labels.email", before: "Mail", after: "Your email" },
      {
        action: "update",
        form: "contact",
        path: "webhooks.crm.url",
        before: "https://elsewhere.example.com/in",
        after: "https://crm.example.com/in",
      },
    ]);
    expect((await cli("plan")).out).toMatch(/settings\.labels\.email: "Mail" → "Your email"/);
    expect((await cli("apply")).code).toBe(0);
    expect(await changes()).toEqual([]);
    expect(await form("contact")).toMatchObject({
      active: false,
      self_email_notification: { subject: "By hand" },
      settings: { labels: { email: "Your email", name: "Name" } },
      webhooks: [{ enabled: false }],
    });

    write({ forms: { contact: { settings: { labels: { name: null } }, webhooks: { crm: null } } } });
    expect((await cli("apply")).code).toBe(0);
    expect(await form("contact")).toMatchObject({
      name: "Contact",
      settings: { labels: { email: "Your email" } },
      webhooks: [],
    });
    expect(await changes()).toEqual([]);
  });

  it("show drift that a person made in the inbox, leaf by leaf", async () => {
    const backend = inboxHarness();
    const { key } = await backend.keys.create({ name: "ci", scopes: "all" });
    const { cli, write, changes } = project({
      env: { FORM_BACKEND_URL: backend.baseUrl, FORM_BACKEND_KEY: key },
      fetch: (request) => backend.fetch(request),
    });
    write({
      forms: {
        contact: {
          name: "Contact",
          self_email_notification: { recipients: ["owner@example.com"], subject: "New" },
          settings: { spam: { words: ["casino"] } },
        },
      },
    });
    expect((await cli("apply")).code).toBe(0);
    expect(await changes()).toEqual([]);
    const [form] = (await backend.forms.list()).data;
    const at = (section: string): string => `/f/${form?.id}/settings/${section}`;
    const edit = async (section: string, values: Record<string, string>): Promise<void> => {
      const posted = formOf((await backend.as({}).get(at(section))).text, at(section));
      expect((await backend.as({}).post(at(section), { ...posted, ...values })).status).toBeLessThan(400);
    };
    await edit("general", { name: "Contact us" });
    await edit("notification", { "self_email_notification.subject": "By hand" });
    await edit("spam", { "settings.spam.words": "casino\r\npoker" });
    // A leaf that the file does not write is nobody's drift.
    await edit("reply", { "auto_response.from_name": "Corner Bakery" });
    expect(await changes()).toEqual([
      { action: "update", form: "contact", path: "name", before: "Contact us", after: "Contact" },
      {
        action: "update",
        form: "contact",
        path: "self_email_notification.subject",
        before: "By hand",
        after: "New",
      },
      {
        action: "update",
        form: "contact",
        path: "settings.spam.words",
        before: ["casino", "poker"],
        after: ["casino"],
      },
    ]);
    expect((await cli("apply")).code).toBe(0);
    expect(await changes()).toEqual([]);
    expect((await backend.forms.get(form?.id ?? "")).auto_response.from_name).toBe("Corner Bakery");
  });

  it("change recipients and a routing that names them, both at once", async () => {
    const { cli, write, changes, form } = project();
    const routed = (recipients: string[], to?: string) => ({
      name: "Contact",
      self_email_notification: { recipients },
      settings: { routing: { rules: to ? [{ if: { all: [] }, to: { recipients: [to] } }] : [] } },
    });
    for (const contact of [
      routed(["a@example.com"]),
      routed(["a@example.com", "sales@example.com"], "sales@example.com"),
      routed(["b@example.com"], "b@example.com"),
      routed(["a@example.com"]),
    ]) {
      write({ forms: { contact } });
      const { code, err } = await cli("apply");
      expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^contact: \w+d\n$/) });
      expect(await changes()).toEqual([]);
      expect((await form("contact"))?.self_email_notification.recipients).toEqual(
        contact.self_email_notification.recipients,
      );
    }
  });

  it("ends with 2 for changes where asked to, and 0 without", async () => {
    const { cli, write } = project();
    write({ forms: { contact } });
    expect(await cli("plan", "--detailed-exitcode")).toMatchObject({ code: 2, err: "" });
    expect((await cli("plan")).code).toBe(0);
    await cli("apply");
    expect((await cli("plan", "--detailed-exitcode")).code).toBe(0);
  });

  it("keep secrets out of every output and file", async () => {
    const env = { CRM_URL: "https://hooks.slack.com/services/T0/B0/verysecret", CAPTCHA: `6L${"x".repeat(38)}` };
    const { cli, cwd, io, write, changes } = project();
    Object.assign(io.env, env);
    const secret = { $env: "CAPTCHA" };
    const crm = { url: { $env: "CRM_URL" }, format: "slack" };
    write({ forms: { contact: { name: "C", spam: { captcha: { secret_key: secret } }, webhooks: { crm } } } });
    const outputs = [
      await cli("plan", "-out", "plan.json"),
      await cli("plan", "--json"),
      await cli("apply", "plan.json"),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outputs[0]?.out).toMatch(/webhooks\.crm\.url: \(sensitive\)/);
    const text = outputs.map(({ out, err }) => out + err).join("") + readFileSync(join(cwd, "plan.json"), "utf8");
    for (const value of Object.values(env)) expect(text).not.toContain(value);
    expect(statSync(join(cwd, "plan.json")).mode & 0o077).toBe(0);
    expect(await changes()).toEqual([]);
    Object.assign(io.env, { CRM_URL: "https://hooks.slack.com/services/T0/B0/another-one" });
    expect(await changes()).toMatchObject([{ path: "webhooks.crm.url", before: "(sensitive)", after: "(sensitive)" }]);
  });

  it("change one member of the target that no rule chooses, and leave the others", async () => {
    const { cli, write, changes, form } = project();
    const to = (subject: string) => {
      const otherwise = { recipients: ["a@example.com"], subject };
      const self_email_notification = { recipients: ["a@example.com", "b@example.com"] };
      return { name: "A", self_email_notification, settings: { routing: { rules: [], otherwise } } };
    };
    for (const subject of ["One", "Two"]) {
      write({ forms: { a: to(subject) } });
      expect((await cli("apply")).code).toBe(0);
      expect(await changes()).toEqual([]);
    }
    expect((await form("a"))?.settings.routing.otherwise).toEqual({ recipients: ["a@example.com"], subject: "Two" });
  });

  it("route to webhooks by their names, also to new ones and away from old ones", async () => {
    const { cli, write, changes, form } = project();
    const routed = (name: string, webhooks: object) => ({
      name: "Contact",
      self_email_notification: { recipients: [`${name}@example.com`] },
      settings: {
        routing: {
          rules: [{ if: { all: [] }, to: { webhooks: [name], recipients: [`${name}@example.com`] } }],
          otherwise: { webhooks: [name] },
        },
      },
      webhooks,
    });
    const hook = (name: string) => ({ url: `https://${name}.example.com/in` });
    for (const [name, webhooks] of [
      ["crm", { crm: hook("crm"), chat: hook("chat") }],
      ["chat", {}],
      ["desk", { desk: hook("desk"), chat: null }],
    ] as const) {
      write({ forms: { contact: routed(name, webhooks) } });
      const { code, err } = await cli("apply");
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(await changes()).toEqual([]);
      const made = await form("contact");
      const id = made?.webhooks.find(({ description }) => description === name)?.id;
      expect(made?.settings.routing).toMatchObject({
        rules: [{ to: { webhooks: [id] } }],
        otherwise: { webhooks: [id] },
      });
      expect(made?.self_email_notification.recipients).toEqual([`${name}@example.com`]);
    }
    write({ forms: { contact: routed("none", {}) } });
    expect((await cli("apply")).err).toMatch(/names "none", which is no webhook of the form/);
  });

  it.each([
    ["with the place of the old one", { crm: { url: "https://crm.example.com/in" } }],
    ["with the URL of the old one", { crm: { url: "https://old.example.com/in" } }],
  ])("make a webhook %s", async (_, made) => {
    const { cli, write, form } = project({}, { plans: { unlimited: { webhooks_per_form: 1 } } });
    const rules = (name: string) => ({ routing: { rules: [{ if: { all: [] }, to: { webhooks: [name] } }] } });
    write({
      forms: {
        contact: { name: "A", settings: rules("old"), webhooks: { old: { url: "https://old.example.com/in" } } },
      },
    });
    expect((await cli("apply")).code).toBe(0);
    write({ forms: { contact: { name: "A", settings: rules("crm"), webhooks: { old: null, ...made } } } });
    const { code, err } = await cli("apply");
    expect({ code, err }).toMatchObject({ code: 0 });
    expect((await form("contact"))?.webhooks).toMatchObject([{ description: "crm", ...made.crm }]);
  });

  it("exchange as many recipients as the plan allows beside a routing that names none of the new ones", async () => {
    const { cli, write, form } = project({}, { plans: { unlimited: { recipients: 2 } } });
    const contact = (subject: string, recipients: string[]) => ({
      name: "A",
      self_email_notification: { recipients },
      settings: { routing: { rules: [{ if: { all: [] }, to: { subject } }] } },
    });
    for (const [subject, recipients] of [
      ["One", ["a@example.com", "b@example.com"]],
      ["Two", ["c@example.com", "d@example.com"]],
    ] as const) {
      write({ forms: { contact: contact(subject, [...recipients]) } });
      const { code, err } = await cli("apply");
      expect({ code, err }).toMatchObject({ code: 0 });
      expect((await form("contact"))?.self_email_notification.recipients).toEqual(recipients);
    }
  });

  it("hide a list with a variable anywhere in it, and variables below names that are numbers", async () => {
    const values = ["topsecret-value", "topsecret-subject", "topsecret-label", "https://topsecret.example.com/"];
    const [A, B, C, D] = values;
    const { cli, io, write, changes } = project();
    Object.assign(io.env, { A, B, C, D });
    const contact = {
      name: "Contact",
      validation: { rules: [{ field: "code", checks: [{ type: "equals", value: { $env: "A" } }] }] },
      settings: {
        routing: { rules: [{ if: { all: [] }, to: { subject: { $env: "B" } } }] },
        labels: { "1": { $env: "C" } },
      },
      webhooks: { "1": { url: { $env: "D" } } },
    };
    write({ forms: { contact } });
    const outputs = [await cli("plan"), await cli("plan", "--json"), await cli("apply")];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const text = outputs.map(({ out, err }) => out + err).join("");
    for (const value of values) expect(text).not.toContain(value);
    expect(outputs[0]?.out).toMatch(/validation\.rules: \(sensitive\)/);
    expect(await changes()).toEqual([]);
  });

  it("refuse a plan when a form has moved, and then write nothing", async () => {
    const { cli, backend, write, form } = project();
    write({ forms: { a: { name: "A" }, b: { name: "B" } } });
    await cli("apply");
    write({ forms: { a: { name: "A2" }, b: { name: "B2" }, c: { name: "C" } } });
    expect((await cli("plan", "-out=plan.json")).code).toBe(0);
    await backend.forms.update((await form("b"))!.id, { active: false });
    const refused = await cli("apply", "plan.json");
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/Changed since the plan was made: b\. Plan again/);
    expect([(await form("a"))?.name, await form("c")]).toEqual(["A", undefined]);
    await cli("plan", "--out", "plan.json");
    expect((await cli("apply", "plan.json")).code).toBe(0);
    expect([(await form("a"))?.name, (await form("c"))?.name]).toEqual(["A2", "C"]);
    expect((await cli("apply", "plan.json")).err).toMatch(/Changed since/);
    expect((await cli("apply", "plan.json", "--prune")).code).toBe(64);
    expect((await cli("apply", "forms.config.json")).err).toMatch(/no plan of this version/);
  });

  it("prune only forms with a key, and only with consent", async () => {
    const { cli, backend, write, changes } = project();
    write({ forms: { a: { name: "A" }, b: { name: "B" } } });
    await cli("apply");
    await backend.forms.create({ name: "by hand" });
    write({ forms: { a: { name: "A" } } });
    expect(await changes()).toEqual([]);
    expect((await cli("plan")).err).toMatch(/Not in the file: b\. --prune deletes/);
    expect(await changes("--prune")).toMatchObject([{ action: "delete", form: "b" }]);
    const asked = await cli("apply", "--prune");
    expect(asked.code).toBe(1);
    expect(asked.err).toMatch(/--yes/);
    expect((await backend.forms.list()).data).toHaveLength(3);
    expect((await cli("apply", "--prune", "--yes")).code).toBe(0);
    expect((await backend.forms.list()).data.map(({ name }) => name).sort()).toEqual(["A", "by hand"]);
    write({ forms: {} });
    expect((await cli("apply", "--prune")).code).toBe(1);
    expect((await backend.forms.list()).data).toHaveLength(2);
  });

  it("adopt a form that was made by hand", async () => {
    const { cli, backend, write, form } = project();
    const { id } = await backend.forms.create({ name: "Old" });
    write({ forms: { contact: { name: "Contact" } } });
    expect((await cli("apply", "--adopt", `${id}=contact`)).code).toBe(0);
    expect(await form("contact")).toMatchObject({ id, name: "Contact" });
    expect((await cli("plan", "--adopt", `${id}=contact`)).err).toMatch(/no form with the id .* without a key/);
  });

  it("finish when repeated after an end in the middle", async () => {
    let left = Number.POSITIVE_INFINITY;
    const shell = project();
    const { backend, cwd, write, changes } = shell;
    const dying = project({
      cwd,
      env: shell.io.env,
      fetch: (request) => {
        if (request.method !== "GET" && left-- <= 0) return Promise.reject(new TypeError("killed"));
        return backend.fetch(request);
      },
    });
    const form = (name: string) => ({ ...contact, name });
    write({ forms: { a: form("A"), b: form("B"), c: form("C") } });
    const codes: number[] = [];
    while (codes.at(-1) !== 0 && codes.length < 10) {
      left = 2;
      codes.push((await dying.cli("apply")).code);
    }
    expect(codes.length).toBeGreaterThan(2);
    expect(await changes()).toEqual([]);
    const { data } = await backend.forms.list();
    expect(data.map(({ name, webhooks }) => `${name} ${webhooks.length}`).sort()).toEqual(["A 1", "B 1", "C 1"]);
  });

  it("refuse the second of two that began together", async () => {
    const { cli, backend, cwd, write, io } = project();
    write({ forms: { a: { name: "A" } } });
    await cli("apply");
    for (const after of [{ a: { name: "B" } }, { a: { name: "B" }, b: { name: "new" } }]) {
      let waiting: (() => void)[] = [];
      // Both have read everything before either writes.
      const together = () =>
        project({
          cwd,
          env: io.env,
          async fetch(request) {
            if (request.method !== "GET" && waiting.length < 2) {
              await new Promise<void>((resolve) => {
                waiting.push(resolve);
                if (waiting.length === 2) for (const go of waiting) go();
              });
            }
            return backend.fetch(request);
          },
        });
      write({ forms: after });
      const [one, two] = await Promise.all([together().cli("apply"), together().cli("apply")]);
      expect([one.code, two.code].sort()).toEqual([0, 1]);
      expect(one.err + two.err).toMatch(/has changed since it was read\. Plan again/);
      waiting = [];
      write({ forms: { a: { name: "A" } } });
      await cli("apply");
    }
    expect((await backend.forms.list()).data).toHaveLength(2);
  });
});

describe("a file of forms", () => {
  it.each([
    [{}, 1, /must be defineForms/],
    [[], 1, /must be defineForms/],
    [{ forms: {}, form: {} }, 1, /`form` is unknown/],
    [{ team: 5, forms: {} }, 1, /`team` must be/],
    [{ forms: { "Contact Us": { name: "A" } } }, 1, /a key must begin with a to z/],
    [{ forms: { a: "A" } }, 1, /`forms\.a` must be an object/],
    [{ forms: { a: { active: true } } }, 1, /`forms\.a\.name` is required/],
    [
      { forms: { a: { name: "A", settings: { key: "b" } }, b: { name: "B" } } },
      1,
      /`forms\.a\.settings\.key` is another key/,
    ],
    [{ forms: { a: { name: "A", colour: "red" } } }, 1, /`colour` is unknown/],
    [{ forms: { a: { name: "A", storage: { keep_for: "5_days" } } } }, 1, /storage\.keep_for.*in process/],
    [{ forms: { a: { name: "A", settings: { language: 5 } } } }, 1, /forms\.a\.settings.*language/],
    [{ forms: { a: { name: "A", webhooks: { crm: {} } } } }, 1, /webhooks\.crm\.url` is required/],
    [{ forms: { a: { name: "A", webhooks: { crm: { url: "https://x.y/", description: "z" } } } } }, 1, /leave it out/],
    [{ forms: { a: { name: { $env: "NAME" } } } }, 64, /NAME is not set, which `forms\.a\.name` needs/],
  ])("%j is refused before anything is written", async (config, code, message) => {
    const { cli, write, requests } = project();
    write(config);
    for (const command of ["plan", "apply"]) {
      const result = await cli(command);
      expect(result.code).toBe(code);
      expect(result.err).toMatch(message);
    }
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it.each([
    ["json", '{"forms":{"contact":{"name":"A"},\n"contact":{"name":"B"}}}'],
    ["mjs", "export default { forms: {\n  contact: { name: 'A' }, 'contact': { name: 'B' },\n} };"],
    ["mjs", "// forms\nexport default { forms: { contact: { name: `A`, name: 'B: {' } } };"],
  ])("with two forms of one key, or a member twice, is refused with the line (%s)", async (extension, source) => {
    const { cli, cwd, requests } = project();
    writeFileSync(join(cwd, `forms.config.${extension}`), source);
    for (const command of ["plan", "apply"]) {
      const { code, err } = await cli(command);
      expect(code).toBe(1);
      expect(err).toMatch(/line 2: `(contact|name)` appears twice in one object/);
    }
    expect(requests).toEqual([]);
  });

  it("may have the same names in different objects, in texts and in comments", () => {
    for (const source of [
      "const a = (x: string, y: string) => ({ x: y ? x : y, y: x });",
      "export default { forms: { a: { name: 'a: b, a: c', x: [{ name: 1 }, { name: 2 }] }, /* a: 1, */ b: { name: `a` } } };",
      '{"a": {"type": "x"}, "b": {"type": "x"}, "c": "{\\"a\\": 1, \\"a\\": 2}"}',
      "const rule = (field: string) => ({ field, checks: [{ type: 'required' }, { type: 'email' }] });",
    ]) {
      expect(memberTwice(source), source).toBeNull();
    }
  });

  it("is named where it is missing or no program", async () => {
    const { cli, cwd } = project();
    expect((await cli("plan")).err).toMatch(/no forms\.config\.ts here/);
    expect((await cli("plan", "--file", "other.mjs")).err).toMatch(/no file other\.mjs/);
    writeFileSync(join(cwd, "forms.config.json"), "{");
    expect(await cli("plan")).toMatchObject({ code: 1 });
  });
});

describe("pull", () => {
  it("writes a file after which there is nothing to do, and overwrites none", async () => {
    const { cli, backend, cwd, io } = project();
    const { id } = await backend.forms.create({ name: "No key" });
    const form = await backend.forms.create({
      name: 'Con"tact\u2028',
      active: false,
      validation: { rules: [{ field: "email", checks: [{ type: "required" }] }] },
      spam: { captcha: { secret_key: `6L${"x".repeat(38)}` } },
      settings: { key: "contact", labels: { "an email": "E", __proto: "x" } },
    });
    await backend.webhooks.create(form.id, {
      url: "https://hooks.slack.com/services/T0/B0/secret",
      format: "slack",
      description: "sales",
    });
    const result = await cli("pull", "--output", "forms.config.mjs");
    expect(result.code).toBe(0);
    expect(result.err).toMatch(new RegExp(`Left out.*${id}.*--adopt`));
    const source = readFileSync(join(cwd, "forms.config.mjs"), "utf8");
    expect(source).toContain('url: env("CONTACT_SALES_URL")');
    expect(source).toContain('secret_key: env("CONTACT_CAPTCHA_SECRET")');
    expect(source).not.toMatch(/keep_for|avatar|created_at|secret_key_set|headline/);

    // The package's name leads to the last build, and the file is outside of the repository.
    const entry = join(process.cwd(), "src/surfaces/config/index.ts");
    writeFileSync(join(cwd, "forms.config.mjs"), source.replace('"form-backend/config"', JSON.stringify(entry)));
    Object.assign(io.env, {
      CONTACT_CAPTCHA_SECRET: "any",
      CONTACT_SALES_URL: "https://hooks.slack.com/services/T0/B0/secret",
    });
    expect(await cli("plan")).toMatchObject({ code: 0, out: "No changes: the forms match the file.\n" });
    expect((await cli("pull", "--output", "forms.config.mjs")).err).toMatch(/--force/);
    expect((await cli("pull", "--output", "forms.config.mjs", "--force")).code).toBe(0);
    expect(existsSync(join(cwd, "forms.config.ts"))).toBe(false);
  });

  it("writes a file that another installation applies, without ids of this one", async () => {
    const { cli, backend, cwd } = project();
    const form = await backend.forms.create({ name: "Contact", settings: { key: "contact" } });
    const hooks: string[] = [];
    for (const description of ["crm", "twice", "twice", ""]) {
      const url = `https://crm.example.com/${hooks.length}`;
      hooks.push((await backend.webhooks.create(form.id, { url, description })).id);
    }
    const server = await backend.emailServers.create({
      name: "S",
      host: "smtp.example.com",
      port: 465,
      from: "s@example.com",
    });
    const image = await backend.forms.uploadImage(form.id, { file: pixelPng, use: "reply_attachment", name: "a" });
    await backend.forms.update(form.id, {
      self_email_notification: { sender: { server_id: server.id } },
      settings: {
        reply_attachments: [image.id],
        routing: { rules: [{ if: { all: [] }, to: { webhooks: hooks } }], otherwise: { webhooks: [hooks[0] ?? ""] } },
      },
    });
    const result = await cli("pull", "--output", "forms.config.mjs");
    expect(result.err).toMatch(/Left out of contact: .*server_id, settings\.reply_attachments/);
    const source = readFileSync(join(cwd, "forms.config.mjs"), "utf8");
    expect(source).not.toMatch(new RegExp(`${image.id}|${server.id}|${hooks[0]}`));
    const entry = join(process.cwd(), "src/surfaces/config/index.ts");
    writeFileSync(join(cwd, "forms.config.mjs"), source.replace('"form-backend/config"', JSON.stringify(entry)));
    expect(await cli("plan")).toMatchObject({ code: 0, out: "No changes: the forms match the file.\n" });

    const other = project({ cwd });
    expect(await other.cli("apply")).toMatchObject({ code: 0 });
    const made = await other.form("contact");
    const ids = made?.webhooks.map(({ id }) => id);
    expect(made?.settings.routing).toMatchObject({
      rules: [{ to: { webhooks: ids } }],
      otherwise: { webhooks: [ids?.[0]] },
    });
    expect(await other.changes()).toEqual([]);
  });
});
