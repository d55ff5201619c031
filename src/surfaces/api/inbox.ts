import type { InboxRight, Scope } from "../../model/keys.ts";
import type { Zone } from "./zone.ts";

/**
 * The rights of a role: read; also mark and delete; also change forms; everything. An `operator` is one of yours: they see all teams
 * and the state of the backend, and what a team got once they have entered it, which its audit tells.
 */
export type InboxRole = "viewer" | "agent" | "editor" | "admin" | "operator";

/** Somebody who may see the inbox, with the forms and rights that they have there. */
export interface InboxUser {
  /** Your own id of this person; it names them in `inbox.action` and in `backend.inbox.endSessions`. */
  id: string;
  /** Shown in the inbox. */
  name: string;
  /** The teams whose forms this person sees; `[]` for an operator. */
  team_ids: string[];
  /** Either a role, or `scopes`. */
  role?: InboxRole;
  /** Scopes as of an API key, instead of a role. */
  scopes?: Scope[] | "all";
  /** Only these forms of the teams. Default: all of them. */
  form_ids?: string[] | null;
  /** Rights beyond the role's own. */
  can?: InboxRight[];
  /** One of the backend's languages, such as `de`. Default: the browser's language. */
  locale?: string;
  /** Such as `Europe/Berlin`. Default: the option `time_zone` of the inbox. */
  time_zone?: string;
}

/** Access that a single-use link gives to its user. */
export interface InboxLink extends Omit<InboxUser, "id" | "name"> {
  /** The person who opens the link. */
  user: {
    /** Your id of the person. */
    id: string;
    /** The name that the inbox shows. */
    name: string;
  };
  /** The first page that it leads to, a path below the inbox, such as `/f/Ab3dE6gH9jK`. Default: the forms. */
  to?: string;
  /**
   * True for a frame in a page of yours: the link works once and without a button, as the `src` of an `<iframe>`. Needs the
   * option `embed` of the inbox. Default false.
   */
  embed?: boolean;
  /** Seconds until the link expires, at most 86,400. Default 900. With `embed`, at most 60 and by default 60. */
  expires_in?: number;
}

/** `backend.inbox`. Both throw a TypeError where the option `inbox` is not set. */
export interface InboxApi {
  /**
   * Returns a link to the inbox that works once. Its user has to press "Continue", so that mail scanners do not use it up.
   *
   * @throws `TypeError` for an invalid input, which names the member
   * @example
   * const { url } = await backend.inbox.link({ team_ids: ["default"], role: "editor", user: { id: "7", name: "Ann" } });
   */
  link(input: InboxLink): Promise<{
    /** The address to send the person to. */
    url: string;
    /** The time from which it no longer works. */
    expires_at: string;
  }>;
  /**
   * Signs a user out everywhere. Sessions from a link or an API key end immediately; you have to end your own login yourself.
   *
   * @throws `unavailable`
   */
  endSessions(input: {
    /** Your id of the person. */
    user_id: string;
  }): Promise<void>;
}

/** An inbox at work in one backend. */
export interface InboxMount {
  readonly zone: Zone;
  readonly api: InboxApi;
  /** Runs once after the drivers are open. */
  onReady(): Promise<void>;
}

const missing = (): never => {
  throw new TypeError(
    "[form-backend] there is no inbox: set the option `inbox` of createFormBackend to inbox() of form-backend/inbox",
  );
};

/** `backend.inbox` where the option is not set. */
export const noInbox: InboxApi = { link: async () => missing(), endSessions: async () => missing() };
