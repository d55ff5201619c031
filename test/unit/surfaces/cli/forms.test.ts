import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected, parsed } from "../../../_support/terminal.ts";

async function withForm(over: Parameters<typeof connected>[0] = {}) {
  const shell = connected(over);
  const form = await shell.backend.forms.create({ name: "Contact", settings: { key: "contact" } });
  const submit = (text: string) => shell.backend.submit(form.id, { fields: { text } });
  return { ...shell, form, submit };
}

describe("forms", () => {
  it("lists, shows, creates and deletes", async () => {
    const { cli, backend, form } = await withForm();
    const list = await cli("forms", "list", "--json");
    expect(list.code).toBe(0);
    expect(parsed(list.out)).toMatchObject([{ id: form.id, name: "Contact" }]);
    expect((await cli("forms", "list")).out).toMatch(/^ID +SUBMISSIONS .*\n.*Contact\n$/);

    for (const name of [form.id, "contact"]) {
      const shown = await cli("forms", "get", name, "--json");
      expect(parsed(shown.out)).toMatchObject([{ id: form.id, settings: { key: "contact" } }]);
    }
    expect((await cli("forms", "get", "contact")).out).toMatch(/^settings\.key +contact$/m);

    const made = await cli("forms", "create", "--name", "Jobs", "--key", "jobs", "--json");
    expect(made).toMatchObject({ code: 0, err: "" });
    const id = String(parsed(made.out)[0]?.["id"]);
    expect((await backend.forms.get(id)).settings.key).toBe("jobs");

    expect((await cli("forms", "delete", "jobs", "--yes")).code).toBe(0);
    expect((await cli("forms", "get", "jobs")).err).toMatch(/no form with the id or key "jobs"/);
  });

  it("asks on a terminal before it deletes, and takes no for an answer", async () => {
    const questions: string[] = [];
    const answers = ["", "n", "y"];
    const { cli, backend } = await withForm({
      tty: { in: true, out: true, err: true },
      ask: async (question) => {
        questions.push(question);
        return answers.shift() ?? "";
      },
    });
    for (const left of [1, 1, 0]) {
      expect((await cli("forms", "delete", "contact")).code).toBe(left);
      expect((await backend.forms.list()).data).toHaveLength(left);
    }
    expect(questions[0]).toMatch(/Delete the form "Contact".*\[y\/N\]/);
  });

  it("passes on what the server refuses", async () => {
    const { cli } = await withForm();
    const taken = await cli("forms", "create", "--name", "B", "--key", "contact");
    expect(taken).toMatchObject({ code: 1, out: "" });
    expect(taken.err).toMatch(/settings\.key/);
  });
});

describe("submissions", () => {
  it("lists as many as asked for, across pages, with filters", async () => {
    const { cli, submit } = await withForm();
    for (let i = 0; i < 105; i++) await submit(`n${i}`);
    const count = async (...args: string[]) =>
      parsed((await cli("submissions", "list", "contact", "--json", ...args)).out).length;
    expect(await count()).toBe(25);
    expect(await count("--limit", "103")).toBe(103);
    expect(await count("--limit", "500")).toBe(105);
    expect(await count("--where", "text=n7")).toBe(1);
    expect(await count("--search", "N10")).toBe(6);
    expect(await count("--after", "2026-01-03")).toBe(0);
    expect((await cli("submissions", "list", "contact", "--search", "none")).err).toBe("No submissions found.\n");
  });

  it("shows hostile values as text, within the width of the terminal", async () => {
    const { cli, submit } = await withForm({ tty: { in: false, out: true, err: true } });
    await submit(`\u001b[2J${"x".repeat(500)}`);
    const lines = (await cli("submissions", "list", "contact")).out.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^[^\p{Cc}]{79}…$/u);
  });

  it("follows from now on, each once, through an outage, until Ctrl-C", async () => {
    let polls = 0;
    const shell = await withForm();
    await shell.submit("before");
    let down = false;
    const { backend } = shell;
    const followed = connected({
      env: shell.io.env,
      fetch: async (request) => (down ? new Response("gone", { status: 502 }) : backend.fetch(request)),
      async sleep() {
        polls++;
        if (polls === 2) await shell.submit("first");
        down = polls === 4 || polls === 5;
        if (polls === 5) await shell.submit("second");
        if (polls === 8) followed.stop.abort(new Error("Interrupted by SIGINT."));
        followed.stop.signal.throwIfAborted();
      },
    });
    const { code, out, err } = await followed.cli("submissions", "tail", "contact", "-f", "--json");
    expect(code).toBe(0);
    expect(parsed(out).map(({ fields }) => (fields as { value: string }[])[0]?.value)).toEqual(["first", "second"]);
    expect(err.match(/Trying again/g)).toHaveLength(1);
  });

  it("follows from now on, each once, also after a later page of a poll failed", async () => {
    const shell = await withForm();
    await shell.submit("before");
    let polls = 0;
    const followed = connected({
      env: shell.io.env,
      fetch: async (request) =>
        polls < 3 && request.url.includes("cursor=")
          ? new Response("gone", { status: 502 })
          : shell.backend.fetch(request),
      async sleep() {
        polls++;
        if (polls === 2) for (let n = 0; n < 103; n++) await shell.submit(`n${n}`);
        if (polls === 5) followed.stop.abort(new Error("Interrupted by SIGINT."));
        followed.stop.signal.throwIfAborted();
      },
    });
    const { code, out } = await followed.cli("submissions", "tail", "contact", "-f", "--json");
    expect(code).toBe(0);
    const told = parsed(out).map(({ fields }) => (fields as { value: string }[])[0]?.value);
    expect(told).toEqual(Array.from({ length: 103 }, (_, n) => `n${n}`));
  });

  it("exports to standard output, and to a file that is there only when it is whole", async () => {
    const directory = temporaryDirectory();
    const { cli, submit, backend, io } = await withForm({ cwd: directory });
    await submit("über");
    const printed = (await cli("submissions", "export", "contact")).out;
    expect(printed).toContain("über");
    // Without the BOM, Excel reads the file in another encoding.
    expect(printed.startsWith("\ufeff")).toBe(true);
    expect(parsed((await cli("submissions", "export", "contact", "--json")).out)).toHaveLength(1);

    expect((await cli("submissions", "export", "contact", "--output", "all.csv")).code).toBe(0);
    const whole = readFileSync(join(directory, "all.csv"), "utf8");
    expect(whole).toContain("über");
    writeFileSync(join(directory, "all.csv"), "mine");
    const again = await cli("submissions", "export", "contact", "--output", "all.csv");
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toMatch(/--force/);
    expect(readFileSync(join(directory, "all.csv"), "utf8")).toBe("mine");
    expect((await cli("submissions", "export", "contact", "--output", "all.csv", "--force")).code).toBe(0);
    expect(readFileSync(join(directory, "all.csv"), "utf8")).toBe(whole);

    const cut = connected({
      cwd: directory,
      env: io.env,
      fetch: async (request) => {
        if (!request.url.includes("/export")) return backend.fetch(request);
        let sent = false;
        const body = new ReadableStream<Uint8Array>({
          pull(stream) {
            if (sent) stream.error(new Error("connection lost"));
            else stream.enqueue(new TextEncoder().encode("id,text\n"));
            sent = true;
          },
        });
        return new Response(body);
      },
    });
    const broken = await cut.cli("submissions", "export", "contact", "--output", "cut.csv");
    expect(broken.code).toBe(1);
    expect(existsSync(join(directory, "cut.csv"))).toBe(false);
    expect(readdirSync(directory)).toEqual(["all.csv"]);
  });
});

it("exports every byte to a program, and nothing to a terminal that steers it", async () => {
  const hostile = "\u001b]0;owned\u0007\u009b2J\u202Eevil\rgone";
  const shell = await withForm();
  await shell.submit(hostile);
  const tty = { in: true, out: true, err: false };
  const { cli } = connected({ tty, env: shell.io.env, fetch: shell.backend.fetch });
  for (const format of ["csv", "json", "ndjson"]) {
    const args = ["submissions", "export", "contact", "--format", format];
    const piped = await shell.cli(...args);
    expect(piped.out).toContain(format === "csv" ? hostile : "\u202Eevil");
    const { code, out } = await cli(...args);
    expect(code).toBe(0);
    expect(out).toContain("owned");
    expect(out.replace(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  }
});

describe("deliveries", () => {
  it("lists, repeats one, and recovers all that failed", async () => {
    const { cli, backend, form, submit } = await withForm();
    const hook = await backend.webhooks.create(form.id, { url: "https://crm.example.com/in", description: "crm" });
    backend.answerWebhooks(400);
    const { id } = await submit("a");
    await submit("b");
    await backend.clock.advance(4 * 86_400_000);

    const failed = await cli("deliveries", "list", "contact", "crm", "--status", "failed", "--json");
    expect(parsed(failed.out)).toHaveLength(2);
    expect((await cli("deliveries", "list", form.id, hook.id, "--limit", "1")).out).toMatch(/^SUBMISSION .*\n.*failed/);
    expect((await cli("deliveries", "list", "contact", "nope")).err).toContain(hook.id);

    backend.answerWebhooks(200);
    const again = await cli("deliveries", "redeliver", "contact", "crm", id, "--json");
    expect(parsed(again.out)).toMatchObject([{ submission_id: id, status: "pending" }]);
    const rest = await cli("deliveries", "recover", "contact", "--since", "2025-12-31", "--json");
    expect(parsed(rest.out)).toEqual([{ recovered: 1 }]);
    await backend.tick();
    const good = await cli("deliveries", "list", "contact", "crm", "--status", "succeeded", "--json");
    expect(parsed(good.out)).toHaveLength(2);
  });

  it("fills a webhook with what came before, from a time on if one is named, and once", async () => {
    const { cli, backend, form, submit } = await withForm();
    await submit("old");
    await backend.clock.advance(86_400_000);
    await submit("new");
    await backend.webhooks.create(form.id, { url: "https://crm.example.com/in", description: "crm" });
    await backend.clock.advance(60_000);
    const since = new Date(backend.clock.now() - 3_600_000).toISOString();
    const fill = async (...more: string[]) =>
      parsed((await cli("webhooks", "backfill", "contact", "crm", ...more, "--json")).out);
    expect(await fill("--since", since)).toEqual([{ queued: 1 }]);
    expect(await fill()).toEqual([{ queued: 1 }]);
    expect(await fill()).toEqual([{ queued: 0 }]);
    await backend.tick();
    const sent = await cli("deliveries", "list", "contact", "crm", "--status", "succeeded", "--json");
    expect(parsed(sent.out)).toHaveLength(2);
    expect((await cli("webhooks", "backfill", "contact", "nope")).err).toContain("no webhook with the name");
  });
});
