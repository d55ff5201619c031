import type { Html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { type Tab, tabs } from "../layout/tabs.ts";
import { intervalOf, intervals } from "../stats.ts";
import type { MemberRequest } from "../visit.ts";

/** The pages of statistics: an interval each, and the check-up. */
export function statsTabs(visit: MemberRequest, form: HostForm, current: "checkup" | null): Html {
  const { t, to, query } = visit;
  const interval = intervalOf(visit);
  const spans = intervals.map(
    (one): Tab => ({
      text: t.stats[one](),
      href: to(`/f/${form.id}/stats`, { ...(one !== "day" && { interval: one }), by: query.get("by") }),
      current: current === null && one === interval,
    }),
  );
  const checkup = {
    text: t.lint.tab(),
    href: to(`/f/${form.id}/stats/checkup`),
    current: current === "checkup",
  };
  return tabs(t.stats.interval(), [...spans, checkup]);
}
