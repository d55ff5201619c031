import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { cachedTeam } from "../teams/service.ts";
import { isOpenAt } from "./availability.ts";
import { placesLeft } from "./places.ts";

/** The times of a form, and its places that are left. */
interface PublicAvailability {
  readonly open: boolean;
  readonly opens_at: string | null;
  readonly closes_at: string | null;
  /** Null without a limit. */
  readonly left: number | null;
}

/**
 * Tells a page when a form takes posts, and how many more. Throws `form_not_found`, and `not_found` for a form that does not tell.
 */
export async function availabilityOf(core: Core, id: string): Promise<PublicAvailability> {
  const form = await core.rows.cached("forms", id);
  if (!form) throw new ApiError("form_not_found");
  const { value } = form;
  const { opens_at, closes_at, public: isPublic } = value.settings.availability;
  if (!isPublic) throw new ApiError("not_found");
  const team = await cachedTeam(core, value.team_id);
  const left = await placesLeft(core, form);
  const isOn = value.active && !value.locked && !team?.value.locked && (team?.value.active ?? false);
  return { open: isOn && isOpenAt(value, core.clock.now()) && left !== 0, opens_at, closes_at, left };
}
