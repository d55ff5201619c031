import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import type { MailAddress, MailServer } from "../../drivers/mailer/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { parseMailbox } from "../../lib/email.ts";
import { prefixedId } from "../../lib/id.ts";
import { parseInput } from "../../lib/input.ts";
import {
  type EmailServer,
  EmailServerCreate,
  type EmailServerDeleted,
  EmailServerPatch,
  type EmailServerRecord,
} from "../../model/email-servers.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import { cachedTeam, DEFAULT_TEAM, loadTeam } from "../teams/service.ts";
import { testConnection, toMailServer } from "./connection.ts";

const missing = (): ApiError => new ApiError("not_found", { message: "There is no email server with this id." });

/** The row of an email server, or null. */
export const findServer = (core: Core, id: string): Promise<Row<"email_servers"> | null> =>
  core.rows.get("email_servers", id);

/** Adds a server after a test of its settings. Throws `invalid_parameter` that names the setting at fault. */
export async function createServer(core: Core, input: EmailServerCreate): Promise<EmailServer> {
  const { team_id = DEFAULT_TEAM, secure, password, ...rest } = parseInput(EmailServerCreate, input);
  if (!(await loadTeam(core, team_id)))
    throw new ApiError("invalid_parameter", {
      param: "team_id",
      message: `\`team_id\`: there is no team "${team_id}".`,
    });
  const id = prefixedId("srv");
  const record: EmailServerRecord = {
    ...rest,
    team_id,
    secure: secure ?? rest.port === 465,
    password: "",
    created_at: iso(core.clock.now()),
  };
  assertLogin(record.username, password);
  await testConnection(core, toMailServer(core, id, record, password));
  const value = { ...record, password: await sealed(core, password) };
  await core.commitNow([put("email_servers", id, value, null)]);
  return toServer(id, value);
}

/** One server. Throws `not_found`. */
export async function getServer(core: Core, id: string): Promise<EmailServer> {
  const row = await findServer(core, id);
  if (!row) throw missing();
  return toServer(id, row.value);
}

/** The servers of a team, or of every team, oldest first. */
export async function listServers(core: Core, { team_id }: { team_id?: string } = {}): Promise<EmailServer[]> {
  const query = team_id === undefined ? { index: "all" } : { index: "team", equals: { team_id } };
  return (await core.rows.all("email_servers", query)).map(({ id, value }) => toServer(id, value));
}

/** The servers of the caller's usable teams, team by team; of every team for the host in process. */
export async function listUsableServers(core: Core, { team_ids }: Pick<Caller, "team_ids">): Promise<EmailServer[]> {
  if (!team_ids) return listServers(core);
  const servers: EmailServer[] = [];
  for (const team_id of new Set(team_ids)) {
    const team = (await cachedTeam(core, team_id))?.value;
    if (team?.active && team.owner.email_verified) servers.push(...(await listServers(core, { team_id })));
  }
  return servers;
}

/** Changes a server, after a test where the connection changes. Throws `not_found`, `invalid_parameter`. */
export async function updateServer(core: Core, id: string, input: EmailServerPatch): Promise<EmailServer> {
  const { password, ...patch } = parseInput(EmailServerPatch, input);
  const value = await core.rows.update(
    "email_servers",
    id,
    async (before) => {
      const record: EmailServerRecord = { ...before, ...given(patch) };
      // If a stored password were sent to a new host, whoever changes these settings could read it there.
      if (record.host !== before.host && before.password !== "" && password === undefined)
        throw new ApiError("invalid_parameter", {
          param: "password",
          message: "`password` is required again if you change `host`.",
        });
      const plain = password ?? (before.password === "" ? "" : await core.seal.open(before.password));
      const changed = (["host", "port", "secure", "username"] as const).some((leaf) => record[leaf] !== before[leaf]);
      if (changed || password !== undefined) {
        assertLogin(record.username, plain);
        await testConnection(core, toMailServer(core, id, record, plain));
      }
      return password === undefined ? record : { ...record, password: await sealed(core, password) };
    },
    missing,
  );
  return toServer(id, value);
}

/** Connects to a stored server and logs in. Throws `not_found`, and `invalid_parameter` that names the setting at fault. */
export async function testServer(core: Core, id: string): Promise<void> {
  const row = await findServer(core, id);
  if (!row) throw missing();
  const { password } = row.value;
  const plain = password === "" ? "" : await core.seal.open(password);
  await testConnection(core, toMailServer(core, id, row.value, plain));
}

/** Removes a server; the forms that sent with it go back to the default sender. Throws `not_found`. */
export async function deleteServer(core: Core, id: string): Promise<EmailServerDeleted> {
  const row = await findServer(core, id);
  if (!row) throw missing();
  await core.commitNow([remove("email_servers", id)]);
  const { team_id } = row.value;
  for (const form of await core.rows.all("forms", { index: "team", equals: { team_id } })) {
    if (form.value.self_email_notification.sender.server_id !== id) continue;
    await core.rows.update("forms", form.id, (value) => withoutServer(value, id), missing).catch(ignoreGone);
  }
  return { id, deleted: true };
}

/** A server of the team, ready to send, and its sender; null if it was removed or belongs to another team. */
export async function serverOfTeam(
  core: Core,
  id: string,
  team_id: string,
  read: Core["rows"]["get"] = core.rows.get,
): Promise<{ server: MailServer; from: MailAddress } | null> {
  const row = await read("email_servers", id);
  if (!row || row.value.team_id !== team_id) return null;
  const { password, from } = row.value;
  const server = toMailServer(core, id, row.value, password === "" ? "" : await core.seal.open(password));
  return { server, from: parseMailbox(from) ?? core.options.from };
}

function toServer(id: string, record: EmailServerRecord): EmailServer {
  const { team_id, name, host, port, secure, username, password, from } = record;
  return { id, team_id, name, host, port, secure, username, password_set: password !== "", from };
}

const sealed = async (core: Core, password: string): Promise<string> =>
  password === "" ? "" : core.seal.seal(password);

function assertLogin(username: string, password: string): void {
  if ((username === "") === (password === "")) return;
  const param = username === "" ? "username" : "password";
  throw new ApiError("invalid_parameter", {
    param,
    message: `\`${param}\` is required: a login needs a user name and a password.`,
  });
}

/** Without the members that were not sent, because undefined would overwrite the old values. */
const given = <T extends object>(patch: T) =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

function withoutServer(form: FormRecord, server_id: string): FormRecord | null {
  const mail = form.self_email_notification;
  if (mail.sender.server_id !== server_id) return null;
  return { ...form, self_email_notification: { ...mail, sender: { ...mail.sender, server_id: "", email: "" } } };
}

/** A form that was deleted meanwhile names no server any more. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "not_found")) throw error;
}
