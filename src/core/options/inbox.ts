import { z } from "zod";

/** An inbox as `inbox()` of `form-backend/inbox` makes it. The backend knows no more of it, so that hosts without one load nothing. */
export interface Inbox {
  /** Its path below `baseUrl`, such as `/inbox`. */
  readonly path: string;
  /** Throws a TypeError if it can't work at this `baseUrl`; called at once by the backend. */
  readonly check: (baseUrl: string) => void;
  /** Puts it to work; called by the backend. */
  readonly mount: (core: never) => unknown;
}

/** The option `inbox`. */
export const InboxSchema = z.custom<Inbox>(
  (value) => typeof value === "object" && value !== null && typeof Reflect.get(value, "mount") === "function",
  'must be what inbox({ … }) returns: import { inbox } from "form-backend/inbox"',
);
