import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected, parsed } from "../../../_support/terminal.ts";

async function world(over: Parameters<typeof connected>[0] = {}) {
  const shell = connected(over);
  const { backend } = shell;
  const form = await backend.forms.create({ name: "Contact", settings: { key: "contact" } });
  const { id } = await backend.submit(form.id, { fields: { email: "ann@example.com", text: "Open?" } });
  return { ...shell, id, sent: () => backend.mails.filter(({ subject }) => subject.startsWith("Re:")) };
}

describe("messages", () => {
  it("sends an answer, from the command line or a file, and lists it", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "answer.txt"), "At nine.\nBye\n");
    const { cli, backend, id, sent } = await world({ cwd });
    const made = await cli(
      "messages",
      "send",
      "contact",
      id,
      "--file",
      "answer.txt",
      "--subject",
      "Hours",
      "--yes",
      "--json",
    );
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(parsed(made.out)).toMatchObject([{ to: ["ann@example.com"], text: "At nine.\nBye", subject: "Hours" }]);
    expect((await cli("messages", "send", "contact", id, "--text", "And \u001b[2J ten.", "--yes")).code).toBe(0);
    await backend.tick();
    expect(sent()).toHaveLength(1);
    const { out } = await cli("messages", "list", "contact", id);
    expect(out).toMatch(/^ID +TIME +STATE .*\n.* sent +SUCCESS .*At nine\. Bye\n/);
    expect(out).not.toContain("\u001b");
    expect(parsed((await cli("messages", "list", "contact", id, "--json")).out)).toHaveLength(2);
  });

  it("asks first, and sends nothing without consent, without a text, or to a stranger", async () => {
    const questions: string[] = [];
    const { cli, backend, id, sent } = await world({
      tty: { in: true, out: true, err: true },
      ask: async (question) => {
        questions.push(question);
        return "n";
      },
    });
    await cli("messages", "send", "contact", id, "--text", "Hi");
    expect(questions).toEqual([expect.stringContaining("the sender of the submission")]);
    for (const [args, code, message] of [
      [["--yes"], 64, /--text or by --file/],
      [["--text", "a", "--file", "b", "--yes"], 64, /--text or by --file/],
      [["--file", "missing.txt", "--yes"], 1, /missing\.txt can't be read/],
      [["--text", "Hi", "--to", "mallory@example.com", "--yes"], 1, /`to`/],
    ] as const) {
      const refused = await cli("messages", "send", "contact", id, ...args);
      expect([refused.code, refused.err]).toEqual([code, expect.stringMatching(message)]);
    }
    await backend.tick();
    expect(sent()).toEqual([]);
  });

  it("names a submission that is not there", async () => {
    const { cli } = await world();
    const refused = await cli("messages", "list", "contact", "nosuchsubmission");
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/submission/i)]);
  });
});

describe("suppressions", () => {
  it("adds, lists, finds and removes an address", async () => {
    const { cli } = await world();
    for (const name of ["a", "b"]) expect((await cli("suppressions", "add", `${name}@example.com`)).code).toBe(0);
    expect(parsed((await cli("suppressions", "list", "--json")).out)).toHaveLength(2);
    expect(parsed((await cli("suppressions", "list", "--limit", "1", "--json")).out)).toHaveLength(1);
    expect((await cli("suppressions", "list", "--email", "a@example.com")).out).toMatch(
      /^EMAIL +SINCE +REASON +SOURCE\na@example\.com +2026-01-01 +manual +test\n$/,
    );
    expect((await cli("suppressions", "remove", "a@example.com")).code).toBe(0);
    expect((await cli("suppressions", "list", "--email", "a@example.com")).err).toBe("No address is suppressed.\n");
    expect((await cli("suppressions", "remove", "a@example.com")).code).toBe(1);
    expect((await cli("suppressions", "add", "nobody")).err).toMatch(/email/);
  });
});
