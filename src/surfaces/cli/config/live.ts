import type { Client, Result } from "../../client/index.ts";
import { Failure } from "../failure.ts";

/** A form as it is, with the version of it. */
export interface LiveForm {
  readonly form: Result<"retrieveForm">;
  readonly settings: Result<"retrieveFormSettings">;
  readonly etag: string;
}

/** Everything of a team. */
export interface LiveState {
  readonly team: string;
  /** Forms with a key, by key. */
  readonly keyed: ReadonlyMap<string, LiveForm>;
  /** Forms without one. */
  readonly others: readonly LiveForm[];
}

const AT_ONCE = 8;

/** Reads a form until both halves are of one version. */
async function readForm(client: Client, form_id: string): Promise<LiveForm> {
  for (let tries = 0; tries < 5; tries++) {
    const tags: (string | null)[] = [];
    const onHeaders = (headers: Headers): void => void tags.push(headers.get("etag"));
    const settings = await client.retrieveFormSettings({ form_id }, { onHeaders });
    const form = await client.retrieveForm({ form_id }, { onHeaders });
    const [etag, again] = tags;
    if (etag && etag === again) return { form, settings, etag };
  }
  throw new Failure(`The form ${form_id} keeps changing. Try again.`);
}

/** The team of a file: the given one, or the only one that the credential reaches. */
async function teamOf(client: Client, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { teams } = await client.me();
  const [team, other] = teams;
  if (!team) throw new Failure("The API key covers no team.");
  if (other)
    throw new Failure(
      `The API key covers several teams: set \`team\` to one of ${teams.map(({ id }) => id).join(", ")}.`,
    );
  return team.id;
}

/** Reads all forms of a team. */
export async function readLive(client: Client, given: string | undefined): Promise<LiveState> {
  const team = await teamOf(client, given);
  const ids: string[] = [];
  for await (const { id } of client.listForms.all({ team_id: team })) ids.push(id);
  const forms: LiveForm[] = [];
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    forms.push(...(await Promise.all(ids.slice(i, i + AT_ONCE).map((id) => readForm(client, id)))));
  }
  const keyed = forms.flatMap((live): [string, LiveForm][] =>
    live.settings.key === null ? [] : [[live.settings.key, live]],
  );
  return { team, keyed: new Map(keyed), others: forms.filter(({ settings }) => settings.key === null) };
}

/** The state with a key for forms that have none yet, from `id=key`. Throws `Failure` for an id or key that does not fit. */
export function adopting(state: LiveState, pairs: readonly string[]): LiveState {
  const keyed = new Map(state.keyed);
  const adopted = new Set<string>();
  for (const pair of pairs) {
    const [id = "", key = ""] = pair.split("=", 2);
    const live = state.others.find(({ form }) => form.id === id);
    if (!live) throw new Failure(`--adopt ${pair}: there is no form with the id "${id}" and without a key.`);
    if (keyed.has(key)) throw new Failure(`--adopt ${pair}: another form has the key ${key}.`);
    keyed.set(key, live);
    adopted.add(id);
  }
  return { ...state, keyed, others: state.others.filter(({ form }) => !adopted.has(form.id)) };
}
