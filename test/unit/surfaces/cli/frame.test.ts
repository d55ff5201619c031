import { describe, expect, it } from "vitest";
import { ReaderGone } from "../../../../src/surfaces/cli/failure.ts";
import { inColour } from "../../../../src/surfaces/cli/io.ts";
import { createProgram } from "../../../../src/surfaces/cli/program.ts";
import { jsonLine, memberLines, safeLine, tableLines } from "../../../../src/surfaces/cli/text.ts";
import { connected, terminal } from "../../../_support/terminal.ts";

describe("usage", () => {
  it.each([
    [["form"], /unknown command 'form'.*\(Did you mean forms\?\)/s],
    [["forms", "lst"], /unknown command 'lst'.*\(Did you mean list\?\)/s],
    [["forms", "list", "--jsn"], /unknown option '--jsn'.*\(Did you mean --json\?\)/s],
    [["forms", "list", "--prnue"], /unknown option '--prnue'/],
    [["forms", "get"], /missing required argument 'form'/],
    [["forms", "get", "a", "b"], /too many arguments/],
    [["forms", "create"], /required option '--name <name>' not specified/],
    [["forms", "create", "--name", " "], /must not be empty/],
    [["submissions", "list", "a", "--limit", "0"], /must be a number from 1 to 100000/],
    [["submissions", "list", "a", "--limit", "ten"], /must be a number/],
    [["submissions", "list", "a", "--status", "read"], /Allowed choices are inbox, spam, all, pending/],
    [["submissions", "list", "a", "--after", "yesterday"], /must be a time such as/],
    [["submissions", "list", "a", "--where", "city"], /NAME=value/],
    [["deliveries", "recover", "a"], /required option '--since <time>'/],
    [[], /Usage: form-backend/],
    [["forms"], /Usage: form-backend forms/],
  ])("%j ends with 64, says why, and sends nothing", async (args, message) => {
    const { cli, requests } = connected();
    const { code, out, err } = await cli(...args);
    expect({ code, out }).toEqual({ code: 64, out: "" });
    expect(err).toMatch(message);
    expect(requests).toEqual([]);
  });

  it.each([
    [{}, /FORM_BACKEND_URL is not set/],
    [{ FORM_BACKEND_URL: " " }, /FORM_BACKEND_URL is not set/],
    [{ FORM_BACKEND_URL: "localhost:3000" }, /FORM_BACKEND_URL must be a URL/],
    [{ FORM_BACKEND_URL: "http://localhost:3000/forms" }, /FORM_BACKEND_KEY is not set/],
    [
      { FORM_BACKEND_URL: "http://localhost:3000/forms", FORM_BACKEND_KEY: "a\u2028b" },
      /FORM_BACKEND_KEY is not an API key/,
    ],
  ])("names what is wrong in the environment: %j", async (env, message) => {
    const { code, err } = await terminal({ env }).cli("forms", "list");
    expect(code).toBe(64);
    expect(err).toMatch(message);
  });

  it("shows help on standard output with 0", async () => {
    for (const args of [["--help"], ["help"], ["forms", "--help"], ["help", "forms"], ["forms", "list", "-h"]]) {
      const { code, out, err } = await terminal().cli(...args);
      expect({ args, code, err }).toEqual({ args, code: 0, err: "" });
      expect(out).toContain("Usage: form-backend");
    }
  });

  it("takes no secret as an argument", () => {
    const flags = (command: ReturnType<typeof createProgram>): string[] => [
      ...command.options.map((option) => option.flags),
      ...command.commands.flatMap(flags),
    ];
    const all = flags(createProgram(terminal().io));
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter((flag) => /key <|secret <|password|token/.test(flag) && flag !== "--key <key>")).toEqual([]);
  });
});

describe("exit codes", () => {
  it("3 where the credential is refused, unknown or without the scope", async () => {
    const { cli, backend, io } = connected();
    Object.assign(io.env, { FORM_BACKEND_KEY: "fb_live_wrong" });
    const unknown = await cli("forms", "list");
    expect(unknown.code).toBe(3);
    expect(unknown.err).toMatch(/error: .*\(invalid_key\)\nCheck FORM_BACKEND_KEY/);
    const { key } = await backend.keys.create({ name: "reader", scopes: ["submissions:read"] });
    Object.assign(io.env, { FORM_BACKEND_KEY: key });
    const scope = await cli("forms", "list");
    expect(scope.code).toBe(3);
    expect(scope.err).toContain("insufficient_scope");
  });

  it("1 where the server can't be reached, and says what to check", async () => {
    const { cli } = connected({ fetch: () => Promise.reject(new TypeError("fetch failed")) });
    const { code, err } = await cli("forms", "create", "--name", "A");
    expect(code).toBe(1);
    expect(err).toMatch(/got no response.*unavailable.*Check FORM_BACKEND_URL/s);
  });

  it("0 where a change is refused for its rate, and accepted later", async () => {
    const waits: number[] = [];
    let refusals = 2;
    const shell = connected();
    const { backend } = shell;
    const { cli } = connected({
      env: shell.io.env,
      sleep: async (ms) => void waits.push(ms),
      fetch: async (request) =>
        request.method === "POST" && refusals-- > 0
          ? new Response("{}", { status: 429, headers: { "retry-after": "7" } })
          : backend.fetch(request),
    });
    expect((await cli("forms", "create", "--name", "A")).code).toBe(0);
    expect(waits).toEqual([7_000, 7_000]);
    expect((await backend.forms.list()).data).toHaveLength(1);
  });

  it("0 where the reader of the output leaves", async () => {
    const { cli, backend } = connected({ out: () => Promise.reject(new ReaderGone()) });
    await backend.forms.create({ name: "A" });
    expect(await cli("forms", "list")).toEqual({ code: 0, out: "", err: "" });
  });

  it("1 for a question without a terminal, naming the option", async () => {
    const { cli, backend } = connected();
    const { id } = await backend.forms.create({ name: "A" });
    const { code, err } = await cli("forms", "delete", id);
    expect(code).toBe(1);
    expect(err).toMatch(/--yes/);
    expect((await backend.forms.list()).data).toHaveLength(1);
  });
});

const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/u;

describe("output", () => {
  it("has no sign that steers a terminal", () => {
    const hostile = "a\u001b[31m\u009b2J\u0007\r\nb\u202ec\u0000";
    expect(safeLine(hostile)).toBe("a\uFFFD[31m\uFFFD2J\uFFFD b\uFFFDc\uFFFD");
    expect(jsonLine({ hostile }).trimEnd()).not.toMatch(UNSAFE);
    expect(JSON.parse(jsonLine({ hostile }))).toEqual({ hostile });
    expect(memberLines({ a: { [hostile]: hostile } }).join("")).not.toMatch(UNSAFE);
  });

  it("is a table that no line of which is wider than the terminal", () => {
    const rows = [
      { id: "1", text: "short" },
      { id: "22", text: "x".repeat(200) },
      { id: "3", text: "" },
    ];
    const lines = tableLines(
      rows,
      [
        ["ID", (row) => row.id],
        ["TEXT", (row) => row.text],
      ],
      40,
    );
    expect(lines).toEqual(["ID  TEXT", "1   short", `22  ${"x".repeat(35)}…`, "3   -"]);
  });

  it("has colours on a terminal that wants them", () => {
    const on = { in: true, out: true, err: true };
    expect(inColour({ env: {}, tty: on })).toBe(true);
    expect(inColour({ env: { NO_COLOR: "1" }, tty: on })).toBe(false);
    expect(inColour({ env: { NO_COLOR: "" }, tty: on })).toBe(true);
    expect(inColour({ env: { TERM: "dumb" }, tty: on })).toBe(false);
    expect(inColour({ env: {}, tty: { ...on, out: false } })).toBe(false);
  });
});
