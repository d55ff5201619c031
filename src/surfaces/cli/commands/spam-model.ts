import type { Command } from "commander";
import type { Register } from "../declare.ts";
import { safeLine } from "../text.ts";

interface Options {
  readonly team?: string;
  readonly yes?: boolean;
}

/** `spam-model show|forget`. */
export const spamModelCommands: Register = (program, { http, action }) => {
  const model: Command = program.command("spam-model").description("Show and forget what marks of spam have taught.");
  const withTeam = (command: Command): Command =>
    http(command).option("--team <id>", "the team, if the key covers several");
  const inTeam = (team: string | undefined) => (team === undefined ? {} : { team_id: team });

  withTeam(model.command("show").description("Show what a team's marks have taught, and whether it is used.")).action(
    action(async ({ client, show }, { team }: Options) => show(await client().getSpamModel(inTeam(team)))),
  );

  withTeam(model.command("forget").description("Let a team's marks up to now teach nothing any more."))
    .option("--yes", "don't ask")
    .action(
      action(async ({ client, confirm, show }, { team, yes }: Options) => {
        const whose = team === undefined ? "your team" : `the team ${safeLine(team)}`;
        await confirm(`Forget what ${whose} has marked as spam and as not spam up to now?`, yes);
        await show(await client().forgetSpamModel(inTeam(team)));
      }),
    );
};
