import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Result } from "../../client/index.ts";
import type { Register } from "../declare.ts";
import { Failure, misuse } from "../failure.ts";
import { findForm } from "../find.ts";
import { type Column, safeLine } from "../text.ts";
import { filled } from "../values.ts";

type Message = Result<"listMessages">["data"][number];

const shape: readonly Column<Message>[] = [
  ["ID", ({ id }) => id],
  ["TIME", ({ created_at }) => created_at.slice(0, 19).replace("T", " ")],
  ["STATE", ({ status }) => status],
  ["CODE", ({ code }) => code],
  ["FROM", ({ from }) => from],
  ["TO", ({ to }) => to.join(" ")],
  ["TEXT", ({ text }) => text],
];

interface Answer {
  readonly text?: string;
  readonly file?: string;
  readonly to?: string[];
  readonly cc?: string[];
  readonly subject?: string;
  readonly attach?: string[];
  readonly yes?: boolean;
}

/** `messages list|send`. */
export const messageCommands: Register = (program, { http, action }) => {
  const messages: Command = program.command("messages").description("Read and answer the mails under a submission.");

  http(messages.command("list").description("List the answers and the mails that came back, the oldest first."))
    .argument("<form>", "id or key")
    .argument("<submission>", "id of the submission")
    .action(
      action(async ({ client, list }, name: string, submission_id: string) => {
        const api = client();
        const { id } = await findForm(api, name);
        const { data } = await api.listMessages({ form_id: id, submission_id });
        await list(data, shape, "No messages yet.");
      }),
    );

  http(messages.command("send").description("Answer a submission by email, in the name of the API key."))
    .argument("<form>", "id or key")
    .argument("<submission>", "id of the submission")
    .option("--text <text>", "the answer, plain text", filled)
    .option("--file <file>", "a file with the answer, instead of --text")
    .option("--to <address...>", "instead of the submission's reply address")
    .option("--cc <address...>", "who gets a copy")
    .option("--subject <subject>", "instead of Re: and the subject so far")
    .option("--attach <id...>", "images of the form, or files of the conversation")
    .option("--yes", "don't ask")
    .action(
      action(async ({ io, client, confirm, show }, name: string, submission_id: string, options: Answer) => {
        const text = await textOf(options, io.cwd);
        const { to, cc, subject, attach } = options;
        const api = client();
        const form = await findForm(api, name);
        const whom = to ? to.join(", ") : "the sender of the submission";
        await confirm(`Send this answer to ${safeLine(whom)}, from the form "${safeLine(form.name)}"?`, options.yes);
        await show(
          await api.sendMessage({
            form_id: form.id,
            submission_id,
            text,
            ...(to && { to }),
            ...(cc && { cc }),
            ...(subject !== undefined && { subject }),
            ...(attach && { attachments: attach }),
          }),
        );
      }),
    );
};

/** The text of an answer. Throws a misuse without one, or with two. */
async function textOf({ text, file }: Answer, cwd: string): Promise<string> {
  if ((text === undefined) === (file === undefined)) throw misuse("Give the answer by --text or by --file.");
  if (file === undefined) return text ?? "";
  return readFile(resolve(cwd, file), "utf8").catch((cause: unknown) => {
    throw new Failure(`The file ${safeLine(file)} can't be read: ${(cause as Error).message}`);
  });
}
