/** Something of a service that a preset needs: a key, or the name of a place there. */
export interface PresetAsk {
  /** Stands as `<name>` in the URL, in headers and in the body. */
  readonly name: "key" | "token" | "project" | "table" | "owner" | "repo" | "team" | "list" | "app" | "user";
  /** Of the service's own shape, so that a slip is seen before a request is refused. */
  readonly example: string;
  /** True where it gives access. */
  readonly secret: boolean;
}

/** Settings of the format `http` for one service. The documentation's table and the inbox's tiles are made from them. */
export interface Preset {
  readonly id: PresetId;
  /** The service as its users call it. */
  readonly service: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A template of JSON; the fields in its tags are those of `fields`. */
  readonly body: string;
  readonly asks: readonly PresetAsk[];
  /** Fields of the form that the body uses, by the names that most forms give them. */
  readonly fields: readonly string[];
}

export type PresetId = "brevo" | "kit" | "pipedrive" | "supabase" | "github" | "linear" | "trello" | "pushover";

const key = (example: string): PresetAsk => ({ name: "key", example, secret: true });
const token = (example: string): PresetAsk => ({ name: "token", example, secret: true });
const place = (name: PresetAsk["name"], example: string): PresetAsk => ({ name, example, secret: false });

/** Services that take a submission as one request with a JSON body. */
export const presets: readonly Preset[] = [
  {
    id: "brevo",
    service: "Brevo",
    url: "https://api.brevo.com/v3/contacts",
    headers: { "api-key": "<key>" },
    body: '{"email":"{{email}}","updateEnabled":true}',
    asks: [key("xkeysib-…")],
    fields: ["email"],
  },
  {
    id: "kit",
    service: "Kit (ConvertKit)",
    url: "https://api.kit.com/v4/subscribers",
    headers: { "X-Kit-Api-Key": "<key>" },
    body: '{"email_address":"{{email}}","first_name":"{{name}}"}',
    asks: [key("kit_…")],
    fields: ["email", "name"],
  },
  {
    id: "pipedrive",
    service: "Pipedrive",
    url: "https://api.pipedrive.com/v1/persons",
    headers: { "x-api-token": "<token>" },
    body: '{"name":"{{name}}","email":["{{email}}"]}',
    asks: [token("0123456789abcdef…")],
    fields: ["name", "email"],
  },
  {
    id: "supabase",
    service: "Supabase",
    url: "https://<project>.supabase.co/rest/v1/<table>",
    headers: { apikey: "<key>", Authorization: "Bearer <key>" },
    body: '{"id":"{{submission_id}}","data":{{all_fields}}}',
    asks: [place("project", "abcdefghijklmnopqrst"), place("table", "submissions"), key("sb_secret_…")],
    fields: [],
  },
  {
    id: "github",
    service: "GitHub dispatch",
    url: "https://api.github.com/repos/<owner>/<repo>/dispatches",
    headers: { Authorization: "Bearer <token>", Accept: "application/vnd.github+json" },
    body: '{"event_type":"form","client_payload":{"fields":{{all_fields}}}}',
    asks: [place("owner", "octocat"), place("repo", "website"), token("github_pat_…")],
    fields: [],
  },
  {
    id: "linear",
    service: "Linear",
    url: "https://api.linear.app/graphql",
    headers: { Authorization: "<key>" },
    body: '{"query":"mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }","variables":{"input":{"teamId":"<team>","title":"{{name}}","description":"{{message}}"}}}',
    asks: [key("lin_api_…"), place("team", "9cfb482a-81e3-4154-b5b9-2c805e70a02d")],
    fields: ["name", "message"],
  },
  {
    id: "trello",
    service: "Trello",
    url: "https://api.trello.com/1/cards",
    headers: { Authorization: 'OAuth oauth_consumer_key="<key>", oauth_token="<token>"' },
    body: '{"idList":"<list>","name":"{{name}}","desc":"{{message}}"}',
    asks: [key("0123456789abcdef…"), token("ATTA…"), place("list", "5abbe4b7ddc1b351ef961414")],
    fields: ["name", "message"],
  },
  {
    id: "pushover",
    service: "Pushover",
    url: "https://api.pushover.net/1/messages.json",
    headers: {},
    body: '{"token":"<app>","user":"<user>","title":"{{name}}","message":"{{message}}"}',
    // Pushover takes both in the body alone, so they are no secrets of ours.
    asks: [place("app", "azGDORePK8gMaC0QOYAMyEEuzJnyUi"), place("user", "uQiRzpo4DXghDmr9QzzfQu27cmVRsG")],
    fields: ["name", "message"],
  },
];

/** A preset by its id. */
export const presetOf = (id: string): Preset | undefined => presets.find((preset) => preset.id === id);

/** The values that stand for a preset's `<names>` and fields. */
export interface PresetValues {
  readonly asks: Readonly<Record<string, string>>;
  /** The form's own names of the fields; those left out keep the preset's. */
  readonly fields?: Readonly<Record<string, string>>;
}

const inUrl = (value: string): string => encodeURIComponent(value);
const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

/** The URL and the settings of a webhook of the format `http`, by a preset. */
export function settingsOf({ url, headers, body }: Preset, { asks, fields = {} }: PresetValues) {
  const filled = (text: string, quote: (value: string) => string): string =>
    text.replace(/<(\w+)>/g, (whole, name: string) => {
      const value = asks[name];
      return value === undefined ? whole : quote(value);
    });
  const named = body.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const own = Object.hasOwn(fields, name) ? fields[name]?.trim() : undefined;
    return own ? `{{${own}}}` : whole;
  });
  return {
    url: filled(url, inUrl),
    config: {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value, String)])),
      body: filled(named, inJson),
    },
  };
}
