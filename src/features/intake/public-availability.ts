import type { Core } from "../../core/core.ts";
import type { Exchange } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { cachedTeam } from "../teams/service.ts";
import { isOpenAt } from "./availability.ts";
import { wordsFor } from "./language.ts";
import { placesLeft } from "./places.ts";

/** The times of a form, and its places that are left. */
interface PublicAvailability {
  readonly open: boolean;
  readonly opens_at: string | null;
  readonly closes_at: string | null;
  /** Null without a limit. */
  readonly left: number | null;
  /** The same for people, where the page asks for it; empty where there is nothing to say. */
  readonly text?: string;
}

/**
 * Tells a page when a form takes posts, and how many more; with `?text`, also in the visitor's language. Throws `form_not_found`, and `not_found` for a form that does not tell.
 */
export async function availabilityOf(core: Core, id: string, { url, request }: Exchange): Promise<PublicAvailability> {
  const form = await core.rows.cached("forms", id);
  if (!form) throw new ApiError("form_not_found");
  const { value } = form;
  const { opens_at, closes_at, public: isPublic } = value.settings.availability;
  if (!isPublic) throw new ApiError("not_found");
  const team = await cachedTeam(core, value.team_id);
  const left = await placesLeft(core, form);
  const isOn = value.active && !value.locked && !team?.value.locked && (team?.value.active ?? false);
  const open = isOn && isOpenAt(value, core.clock.now()) && left !== 0;
  const told = { open, opens_at, closes_at, left };
  if (!url.searchParams.has("text")) return told;
  const words = wordsFor(core, value, undefined, request.headers.get("accept-language"));
  return { ...told, text: textOf(words, told, value.settings.availability.message, core.clock.now()) };
}

/** The places left of an open form, and otherwise why it takes nothing, as its page would say it. */
function textOf(words: Words, { open, opens_at, left }: PublicAvailability, message: string, now: number): string {
  if (open) return left === null ? "" : words.page.places_left({ count: left });
  if (message !== "") return message;
  if (opens_at !== null && now < Date.parse(opens_at)) return words.errors.form_opens({ time: words.time(opens_at) });
  return left === 0 ? words.errors.form_full() : words.errors.form_closed();
}
