import { type Command, InvalidArgumentError } from "commander";
import type { Scope } from "../../../model/keys.ts";
import type { Register } from "../declare.ts";
import { withStore } from "../store.ts";
import { ahead, filled } from "../values.ts";

const scopes: readonly Scope[] = ["forms:read", "forms:write", "submissions:read", "submissions:write"];

/** `all`, or names separated by commas. */
function scopesOf(text: string): Scope[] | "all" {
  if (text === "all") return "all";
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !(scopes as readonly string[]).includes(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`It must be all, or some of ${scopes.join(", ")}.`);
  return names as Scope[];
}

interface Created {
  readonly name: string;
  readonly scopes: Scope[] | "all";
  readonly form?: readonly string[];
  readonly team?: string;
  readonly expires?: string;
}

/** `keys create|list|revoke`. */
export const keyCommands: Register = (program, { store, action, io }) => {
  const keys: Command = program.command("keys").description("Create, list and revoke API keys, directly in the store.");

  store(keys.command("create").description("Create an API key and print it. It is not shown again."))
    .requiredOption("--name <name>", "name for people", filled)
    .requiredOption("--scopes <scopes>", `all, or a list: ${scopes.join(",")}`, scopesOf)
    .option("--form <id...>", "only these forms, by id")
    .option("--team <id>", "team of the key (default: default)")
    .option("--expires <time>", "when it expires, such as 2027-01-31 or 30d", ahead(io.now))
    .action(
      action(({ io, json, show, say }, options: Created) =>
        withStore(io, { create: true }, async (backend, { place }) => {
          const created = await backend.keys.create({
            name: options.name,
            scopes: options.scopes,
            ...(options.form && { form_ids: [...options.form] }),
            ...(options.team !== undefined && { team_id: options.team }),
            ...(options.expires !== undefined && { expires_at: options.expires }),
          });
          if (json) return show(created);
          say(`Created the key ${created.id} in ${place}. It is not shown again:`);
          await io.out(`${created.key}\n`);
        }),
      ),
    );

  store(keys.command("list").description("List all API keys, the oldest first."))
    .option("--team <id>", "only those of a team")
    .action(
      action(({ io, list }, { team }: { team?: string }) =>
        withStore(io, { create: false }, async (backend) => {
          const rows = await backend.keys.list(team === undefined ? {} : { team_id: team });
          await list(
            rows,
            [
              ["ID", ({ id }) => id],
              ["STATE", ({ revoked_at, expires_at }) => stateOf(revoked_at, expires_at, io.now())],
              ["USED", ({ last_used_at }) => last_used_at?.slice(0, 10)],
              ["TEAM", ({ team_id }) => team_id],
              ["NAME", ({ name }) => name],
              ["SCOPES", ({ scopes: own }) => (own.length === scopes.length ? "all" : own.join(","))],
            ],
            "There are no keys yet. Create one with: form-backend keys create --name ci --scopes all",
          );
        }),
      ),
    );

  store(
    keys.command("revoke").description("Revoke an API key.").argument("<id>", "id of the key, not the key itself"),
  ).action(
    action(({ io, show, say }, id: string) =>
      withStore(io, { create: false }, async (backend) => {
        await show(await backend.keys.revoke(id));
        say("Revoked. Running processes refuse it within 5 seconds.");
      }),
    ),
  );
};

const stateOf = (revoked_at: string | null, expires_at: string | null, now: number): string =>
  revoked_at ? "revoked" : expires_at && Date.parse(expires_at) <= now ? "expired" : "active";
