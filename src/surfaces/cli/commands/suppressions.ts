import type { Command } from "commander";
import type { Item } from "../../client/index.ts";
import type { Register } from "../declare.ts";
import { integer } from "../values.ts";

type Suppression = Item<"listSuppressions">;

interface Filters {
  readonly email?: string;
  readonly team?: string;
  readonly limit: number;
}

/** `suppressions list|add|remove`. */
export const suppressionCommands: Register = (program, { http, action }) => {
  const suppressions: Command = program
    .command("suppressions")
    .description("List, add and remove addresses that get no mail.");
  const withTeam = (command: Command): Command =>
    http(command).option("--team <id>", "the team, if the key covers several");
  const inTeam = (team: string | undefined) => (team === undefined ? {} : { team_id: team });

  withTeam(suppressions.command("list").description("List the addresses of a team that get no mail."))
    .option("--email <address>", "only this address")
    .option("--limit <number>", "how many at most", integer(1, 100_000), 25)
    .action(
      action(async ({ client, list }, { email, team, limit }: Filters) => {
        const rows: Suppression[] = [];
        const page = { ...(email !== undefined && { email }), ...inTeam(team), limit: Math.min(limit, 100) };
        for await (const row of client().listSuppressions.all(page)) {
          rows.push(row);
          if (rows.length === limit) break;
        }
        await list(
          rows,
          [
            ["EMAIL", (row) => row.email],
            ["SINCE", ({ created_at }) => created_at.slice(0, 10)],
            ["REASON", ({ reason }) => reason],
            ["SOURCE", ({ source }) => source],
          ],
          "No address is suppressed.",
        );
      }),
    );

  withTeam(suppressions.command("add").description("Send no more mail to an address."))
    .argument("<address>", "the address")
    .action(
      action(async ({ client, show }, email: string, { team }: { team?: string }) =>
        show(await client().addSuppression({ email, ...inTeam(team) })),
      ),
    );

  withTeam(suppressions.command("remove").description("Send mail to an address again."))
    .argument("<address>", "the address")
    .action(
      action(async ({ client, show }, email: string, { team }: { team?: string }) =>
        show(await client().removeSuppression({ email, ...inTeam(team) })),
      ),
    );
};
