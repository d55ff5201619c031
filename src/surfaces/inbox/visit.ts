import type { z } from "zod";
import { iso } from "../../lib/clock.ts";
import { WebResponse } from "../../lib/response.ts";
import type { Caller, InboxRight, Scope } from "../../model/keys.ts";
import type { Words } from "../../texts/locales/_words.ts";
import type { InboxUser } from "../api/inbox.ts";
import { type Done, type HostAnswerOf, type Invocable, invoke } from "../api/invoke.ts";
import { clientGone, type Exchange } from "../api/kernel.ts";
import { memberOperations } from "../api/member-table.ts";
import { routes } from "../api/table.ts";
import type { MountedInbox } from "./mounted.ts";
import { answered, TextsSchema } from "./options.ts";
import { personalised } from "./per-person.ts";
import { type Redactor, redactorOf } from "./redact.ts";
import { hasScopes, type Member } from "./roles.ts";
import type { Texts } from "./texts.ts";

const operations = { ...routes, ...memberOperations };
type Operations = typeof operations;
/** The answers of the calls. */
export type Answers = { readonly [K in keyof Operations]: HostAnswerOf<Operations[K]> };
type Query = Readonly<Record<string, string | readonly string[] | number | undefined | null>> | URLSearchParams;

/** A request to a page without sign-in. */
export interface PublicRequest extends MountedInbox {
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
export interface MemberRequest extends PublicRequest {
  readonly member: Member;
  /** True in a frame that shows no bars. */
  readonly bare: boolean;
  /** The person, as the host's functions get them. */
  readonly person: InboxUser;
  /** The path of a hidden part is never linked. */
  shows(part: string): boolean;
  has(...scopes: readonly Scope[]): boolean;
  can(right: InboxRight): boolean;
  /**
   * Calls a row of the management API, or a member operation, as this person: with their scopes, rights and teams. What the host
   * keeps back is replaced in the answer, and what a member operation has done is kept in the audit. Throws the errors of the row.
   */
  call<K extends keyof Operations>(
    name: K,
    input?: CallInput & BodyOf<Operations[K]>,
  ): Promise<HostAnswerOf<Operations[K]>>;
  /** The same for an operation that the pages load with them, such as those of operators. */
  operate<O extends Invocable>(operation: O, body?: object): Promise<HostAnswerOf<O>>;
  /** Keeps back what the host wants kept back. */
  readonly redactor: Redactor | null;
  /** Reports an action to the host, and keeps it; the reading of a list is only kept. */
  note(action: string, at: Omit<Done, "action">): void;
  /** Waits until the actions of this request are kept. */
  settled(): Promise<unknown>;
}

interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The change is made only to this version. */
  readonly ifMatch?: string | undefined;
  /** Receives the headers of the answer, such as `etag`. */
  readonly headers?: Record<string, string>;
}

/** The body of a member operation by its schema; rows of the table check theirs when they are called. */
type BodyOf<O> = O extends { readonly response: unknown }
  ? unknown
  : O extends { readonly body?: infer B extends z.ZodType }
    ? { readonly body: z.input<B> }
    : unknown;

/** The languages of people, so that the error page of a request that fails further on is in theirs too. */
const locales = new WeakMap<Exchange, string>();

/** Call it once the person is known. */
export function remember(exchange: Exchange, { user: { locale } }: Member): void {
  if (locale !== undefined) locales.set(exchange, locale);
}

/** A request of anybody: data for every page, in the language of the person or their browser. */
export async function publicRequestOf(
  mounted: MountedInbox,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<PublicRequest> {
  const { core, settings } = mounted;
  const query = new URLSearchParams([...exchange.url.searchParams].filter(([, value]) => value !== ""));
  const accepted = exchange.request.headers.get("accept-language");
  return {
    ...mounted,
    ...(await mounted.language(locales.get(exchange), accepted, settings.texts)),
    exchange,
    params,
    query,
    timeZone: settings.time_zone,
    to: (path, more) => core.options.baseUrl + settings.path + (path === "/" ? "" : path) + queryText(more),
  };
}

/** A member's request, in that person's language. */
export async function memberRequestOf(stranger: PublicRequest, member: Member, framed = false): Promise<MemberRequest> {
  const door = { ...stranger, ...(await personalised(stranger, member)) };
  const { core, settings, exchange } = door;
  const person = member.user as InboxUser;
  const texts = settings.textsOf ? answered("texts", TextsSchema, () => settings.textsOf?.(person)) : settings.texts;
  // The redactor below replaces values on pages; a webhook or recipient made here would get them.
  const caller: Caller = settings.redact ? { ...member.caller, passesOn: settings.redact.fields } : member.caller;
  const redactor = redactorOf(core, settings, member.user);
  redactor?.assertOpen(door.query);
  const kept: Promise<unknown>[] = [];
  const note = (action: string, { team_id, form_id, ids }: Omit<Done, "action">): void => {
    const { id, name } = member.user;
    const at = iso(core.clock.now());
    const done = { action, user: { id, name }, team_id, form_id, ids: [...ids], at };
    // Lists are read all the time, and would drown out what a host listens for.
    if (action !== "list") core.events.emit("inbox.action", done);
    kept.push(
      invoked(operations.keepAction, { body: { ...done, actor: member.caller.auth === "api_key" ? "key" : "person" } }),
    );
  };
  const invoked = <O extends Invocable>(
    operation: O,
    { params = {}, query = {}, body, ifMatch, headers = {} }: CallInput,
  ) => {
    const signal = clientGone(exchange.request);
    const input = { params, query: () => query, body: () => body };
    return invoke(core, operation, caller, input, {
      asHost: true,
      signal,
      ifMatch: ifMatch ?? null,
      headers,
      redaction: redactor,
      via: "inbox",
      done: ({ action, ...at }) => note(action, at),
    });
  };
  return {
    ...door,
    ...(await door.language(member.user.locale, exchange.request.headers.get("accept-language"), texts)),
    member,
    person,
    bare: framed && settings.embed?.chrome === false,
    redactor,
    timeZone: member.user.time_zone ?? door.timeZone,
    shows: (part) => !settings.hide.includes(part),
    has: (...scopes) => hasScopes(member.caller, scopes),
    can: (right) => member.can.has(right),
    async call(name, input) {
      const result = await invoked(operations[name], input ?? {});
      const answer = (result instanceof WebResponse ? await result.json() : result) as HostAnswerOf<
        Operations[typeof name]
      >;
      const operation: Invocable = operations[name];
      return redactor && !operation.redacts ? redactor.answer(answer) : answer;
    },
    operate: async (operation, body) => (await invoked(operation, { body })) as HostAnswerOf<typeof operation>,
    settled: () => Promise.all(kept),
    note,
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
