import { aheadIn } from "./time-zone.ts";

/** The order of day and month in dates that are not ISO 8601, or `unix` for seconds or milliseconds since 1970. */
export type DateFormat = "iso" | "dmy" | "mdy" | "unix";

const ZONE = String.raw`Z|UTC?|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2}|(?:UTC|GMT)[+-]\d{1,2}(?::?\d{2})?`;
const TIME = String.raw`(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(AM|PM)?\s*(${ZONE})?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})${TIME}$`, "i");
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})${TIME}$`, "i");
/** `Jan 5, 2024 10:22 AM`, `Fri, 5 Jan 2024 10:22:00 +0000`. */
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const MONTH_NAMED = new RegExp(
  String.raw`^(?:[a-z]{3,9},? +)?(?:(${MONTH})\.? +(\d{1,2})|(\d{1,2}) +(${MONTH})\.?),? +(\d{4})${TIME}$`,
  "i",
);
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** Hours behind UTC of the zones that mails may name (RFC 5322). Other letters, such as CET or IST, mean too many zones. */
const BEHIND: Readonly<Record<string, number>> = { EDT: 4, EST: 5, CDT: 5, CST: 6, MDT: 6, MST: 7, PDT: 7, PST: 8 };
/** More than any date has; the expressions take the square of the time for a long run of spaces. */
const MAX_DATE = 60;

/**
 * The epoch ms of a date as files have it, or null if it is none or no day of the calendar. `time_zone` is that of times without a
 * zone. Dates such as 5/6/2024 need `dmy` or `mdy`.
 */
export function readDate(raw: string, format: DateFormat = "iso", time_zone = "UTC"): number | null {
  const text = raw.trim();
  if (text.length > MAX_DATE) return null;
  if (format === "unix") return /^\d{1,13}(?:\.\d{1,9})?$/.test(text) ? unix(Number(text)) : null;
  const iso = YEAR_FIRST.exec(text);
  if (iso) return instant([iso[1], iso[2], iso[3]], iso.slice(4), time_zone);
  const other = format === "iso" ? null : YEAR_LAST.exec(text);
  if (other) {
    const [, first, second, year] = other;
    const [day, month] = format === "dmy" ? [first, second] : [second, first];
    return instant([year, month, day], other.slice(4), time_zone);
  }
  const named = MONTH_NAMED.exec(text.replace(/ at /i, " "));
  if (!named) return null;
  const [, month, dayAfter, dayBefore, monthAfter, year] = named;
  const at = MONTHS.indexOf((month ?? monthAfter ?? "").slice(0, 3).toLowerCase());
  return instant([year, String(at + 1), dayAfter ?? dayBefore], named.slice(6), time_zone);
}

/** From this number on they are milliseconds: as seconds, it is the year 5138. */
const unix = (n: number): number => Math.round(n >= 1e11 ? n : n * 1000);

type Parts = readonly (string | undefined)[];

function instant(date: Parts, time: Parts, time_zone: string): number | null {
  const [year = 0, month = 0, day = 0] = date.map(Number);
  const [, , , fraction = "", half, zone] = time;
  const [given = 0, minute = 0, second = 0] = time.slice(0, 3).map((part) => Number(part ?? 0));
  if (half && (given < 1 || given > 12)) return null;
  const hour = half ? (given % 12) + (half.toUpperCase() === "PM" ? 12 : 0) : given;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, "0")));
  const read = new Date(local);
  // 31 February would roll over into March.
  if (read.getUTCMonth() !== month - 1 || read.getUTCDate() !== day) return null;
  return zone ? local - minutesAhead(zone) * 60_000 : toUtc(local, time_zone);
}

/** How far a zone that stands beside a time is ahead of UTC. */
function minutesAhead(zone: string): number {
  const [, sign, hours, minutes = "0"] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  if (!sign) return -60 * (BEHIND[zone.toUpperCase()] ?? 0);
  const ahead = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -ahead : ahead;
}

/** The instant at which clocks in the zone show this time; where it comes twice in a year, one of the two. */
function toUtc(local: number, time_zone: string): number {
  const ahead = aheadIn(time_zone);
  return local - ahead(local - ahead(local));
}
