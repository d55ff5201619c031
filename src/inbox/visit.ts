import type { InboxRight } from "../api/inbox.ts";
import { type HostAnswerOf, invoke } from "../api/invoke.ts";
import { routes } from "../api/table.ts";
import type { Core } from "../core/core.ts";
import { clientGone } from "../http/gone.ts";
import type { Exchange } from "../http/route.ts";
import { iso } from "../lib/clock.ts";
import { WebResponse } from "../lib/response.ts";
import type { Words } from "../locales/_words.ts";
import type { Scope } from "../model/keys.ts";
import type { Assets } from "./assets.ts";
import type { Cookies } from "./cookies.ts";
import type { Settings } from "./options.ts";
import { type Redactor, redactorOf } from "./redact.ts";
import { hasScopes, type Member } from "./roles.ts";
import { type Texts, textsOf } from "./texts.ts";

type Routes = typeof routes;
type Query = Readonly<Record<string, string | readonly string[] | number | undefined | null>> | URLSearchParams;

/** An inbox in one backend. */
export interface House {
  readonly core: Core;
  readonly settings: Settings;
  readonly assets: Assets;
  readonly cookies: Cookies;
}

/** A request to a page without sign-in. */
export interface Door extends House {
  readonly exchange: Exchange;
  readonly params: Readonly<Record<string, string>>;
  /** The query, without the parameters that a form sends empty. */
  readonly query: URLSearchParams;
  readonly t: Texts;
  /** Formats times, numbers and sizes in the language. */
  readonly words: Words;
  readonly timeZone: string;
  /** The address of a page of the inbox: `path` begins with a slash. */
  to(path: string, query?: Query): string;
}

/** A request of somebody who may see the page. */
export interface Visit extends Door {
  readonly member: Member;
  /** The path of a hidden part is never linked. */
  shows(part: string): boolean;
  has(...scopes: readonly Scope[]): boolean;
  can(right: InboxRight): boolean;
  /** Calls a row of the management API as this person. Throws the errors of the row. */
  call<K extends keyof Routes>(name: K, input?: CallInput): Promise<HostAnswerOf<Routes[K]>>;
  /** Keeps back what the host wants kept back. */
  readonly redactor: Redactor | null;
  /** Reports an action to the host. */
  note(action: string, at: { team_id: string; form_id: string | null; ids: readonly string[] }): void;
}

interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A request of an admitted user: data for every page. */
export function doorOf(house: House, exchange: Exchange, params: Readonly<Record<string, string>>): Door {
  const { core, settings } = house;
  const query = new URLSearchParams([...exchange.url.searchParams].filter(([, value]) => value !== ""));
  const words = core.options.languages.of("en");
  return {
    ...house,
    exchange,
    params,
    query,
    t: textsOf(words.tag),
    words,
    timeZone: settings.time_zone,
    to: (path, more) => core.options.baseUrl + settings.path + (path === "/" ? "" : path) + queryText(more),
  };
}

/** A visit of a member. */
export function visitOf(door: Door, member: Member): Visit {
  const { core, settings, exchange } = door;
  const invoked = <K extends keyof Routes>(name: K, { params = {}, query = {}, body }: CallInput) => {
    const signal = clientGone(exchange.request);
    const input = { params, query: () => query, body: () => body };
    return invoke(core, routes[name], member.caller, input, { asHost: true, signal });
  };
  const redactor = redactorOf(settings, member.user);
  redactor?.assertOpen(door.query);
  return {
    ...door,
    member,
    redactor,
    timeZone: member.user.time_zone ?? door.timeZone,
    shows: (part) => !settings.hide.includes(part),
    has: (...scopes) => hasScopes(member.caller, scopes),
    can: (right) => member.can.has(right),
    async call(name, input = {}) {
      const result = await invoked(name, input);
      const answer = (result instanceof WebResponse ? await result.json() : result) as HostAnswerOf<
        Routes[typeof name]
      >;
      return redactor ? redactor.answer(answer) : answer;
    },
    note(action, { team_id, form_id, ids }) {
      const { id, name } = member.user;
      const at = iso(core.clock.now());
      core.events.emit("inbox.action", { action, user: { id, name }, team_id, form_id, ids: [...ids], at });
    },
  };
}

function queryText(query: Query | undefined): string {
  if (!query) return "";
  const text = query instanceof URLSearchParams ? query.toString() : searchOf(query).toString();
  return text === "" ? "" : `?${text}`;
}

function searchOf(query: Exclude<Query, URLSearchParams>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search;
}
