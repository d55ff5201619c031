import type { Command } from "commander";
import type { Item } from "../../client/index.ts";
import type { Register } from "../declare.ts";
import { findForm } from "../find.ts";
import { safeLine } from "../text.ts";
import { filled } from "../values.ts";

type Form = Item<"listForms">;

/** `forms list|get|create|delete`. */
export const formCommands: Register = (program, { http, action }) => {
  const forms: Command = program.command("forms").description("Read, create and delete forms.");

  http(forms.command("list").description("List all forms, the newest first.")).action(
    action(async ({ client, list }) => {
      const rows: Form[] = [];
      for await (const form of client().listForms.all({})) rows.push(form);
      await list(
        rows,
        [
          ["ID", ({ id }) => id],
          ["SUBMISSIONS", ({ submissions }) => submissions.all_time],
          ["LAST", ({ last_submission_at }) => last_submission_at?.slice(0, 16).replace("T", " ")],
          ["STATE", ({ active }) => (active ? "active" : "off")],
          ["NAME", ({ name }) => name],
        ],
        "There are no forms yet. Create one with: form-backend forms create --name Contact",
      );
    }),
  );

  http(forms.command("get").description("Show a form and its settings.").argument("<form>", "id or key")).action(
    action(async ({ client, show }, name: string) => {
      const api = client();
      const form = await findForm(api, name);
      await show({ ...form, settings: await api.retrieveFormSettings({ form_id: form.id }) });
    }),
  );

  http(
    forms
      .command("create")
      .description("Create a form and print it.")
      .requiredOption("--name <name>", "name for people", filled),
  )
    .option("--key <key>", "name for use in code, unique in its team")
    .option("--team <id>", "team, if the API key covers several")
    .action(
      action(async ({ client, show, say }, options: { name: string; key?: string; team?: string }) => {
        const form = await client().createForm({
          name: options.name,
          ...(options.key !== undefined && { settings: { key: options.key } }),
          ...(options.team !== undefined && { team_id: options.team }),
        });
        await show(form);
        say(`Created. Its HTML form posts to ${form.endpoint}`);
      }),
    );

  http(forms.command("delete").description("Delete a form. Its submissions stay.").argument("<form>", "id or key"))
    .option("--yes", "do not ask")
    .action(
      action(async ({ client, show, confirm }, name: string, options: { yes?: boolean }) => {
        const api = client();
        const form = await findForm(api, name);
        await confirm(`Delete the form "${safeLine(form.name)}" (${form.id}) permanently?`, options.yes);
        await show(await api.deleteForm({ form_id: form.id }));
      }),
    );
};
