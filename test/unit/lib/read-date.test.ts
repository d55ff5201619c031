import { expect, it } from "vitest";
import { readDate } from "../../../src/lib/read-date.ts";

const iso = (...given: Parameters<typeof readDate>): string | null => {
  const ms = readDate(...given);
  return ms === null ? null : new Date(ms).toISOString();
};

it.each([
  ["2025-01-31T09:30:00Z", "2025-01-31T09:30:00.000Z"],
  ["2025-01-31T09:30:00.707632", "2025-01-31T09:30:00.707Z"],
  ["2025-01-31 09:30:00 UTC", "2025-01-31T09:30:00.000Z"],
  ["2025-01-31T09:30:00+02:00", "2025-01-31T07:30:00.000Z"],
  ["2025-01-31T09:30:00-0330", "2025-01-31T13:00:00.000Z"],
  [" 2025/1/31 ", "2025-01-31T00:00:00.000Z"],
  ["Jan 31, 2025 9:30 PM", "2025-01-31T21:30:00.000Z"],
  ["31 January 2025 at 09:30", "2025-01-31T09:30:00.000Z"],
  ["Fri, 31 Jan 2025 09:30:00 +0100", "2025-01-31T08:30:00.000Z"],
  ["Sept. 3, 2025, 12:05am", "2025-09-03T00:05:00.000Z"],
  ["Jan 31, 2025 9:30 AM PST", "2025-01-31T17:30:00.000Z"],
  ["Jul 31, 2025 9:30:15 AM EDT", "2025-07-31T13:30:15.000Z"],
  ["2025-01-31 09:30 MST", "2025-01-31T16:30:00.000Z"],
  ["31 Jan 2025 09:30 GMT+2", "2025-01-31T07:30:00.000Z"],
  ["31 Jan 2025 09:30 UTC-03:30", "2025-01-31T13:00:00.000Z"],
  ["31 Jan 2025 09:30:00 GMT+0100", "2025-01-31T08:30:00.000Z"],
  ["31 Jan 2025 09:30 UT", "2025-01-31T09:30:00.000Z"],
  ["29 Feb 2024", "2024-02-29T00:00:00.000Z"],
])("reads %s", (text, expected) => expect(iso(text)).toBe(expected));

it.each([
  "",
  "soon",
  "2025-13-01",
  "2025-02-29",
  "2025-01-31T24:00",
  "2025-01-31T09:60",
  "1/2/2025",
  "31.01.2025",
  "20250131",
  "12",
  "2025",
  "Jan 2025",
  "Febtober 3, 2025",
  "Feb 31, 2024",
  "30 February 2024 10:22 +0100",
  "Jan 0, 2025",
  "Jan 5, 2025 13:00 PM",
  "Jan 5, 2025 10:22 AM IST",
  "5 Jan 2025 10:22 CET",
  "Jan 5, 2025 10:22 AM somewhere",
])("takes %j for no time", (text) => expect(iso(text)).toBeNull());

it("reads days and months in the order that is asked for, and seconds", () => {
  expect(iso("1/2/2025 3:04 pm", "dmy")).toBe("2025-02-01T15:04:00.000Z");
  expect(iso("1/2/2025 12:04 AM", "mdy")).toBe("2025-01-02T00:04:00.000Z");
  expect([iso("13/2/2025", "mdy"), iso("1/2/2025 13:00 pm", "dmy")]).toEqual([null, null]);
  expect(iso("1738315800", "unix")).toBe("2025-01-31T09:30:00.000Z");
  expect(iso("1738315800123", "unix")).toBe("2025-01-31T09:30:00.123Z");
  expect(iso("2025-01-31", "unix")).toBeNull();
});

it("reads times of a zone, in summer and in winter, unless they name their own", () => {
  expect(iso("2025-01-31 09:30", "iso", "Europe/Berlin")).toBe("2025-01-31T08:30:00.000Z");
  expect(iso("2025-07-31 09:30", "iso", "Europe/Berlin")).toBe("2025-07-31T07:30:00.000Z");
  expect(iso("Jul 31, 2025 9:30 AM", "iso", "America/New_York")).toBe("2025-07-31T13:30:00.000Z");
  for (const text of ["Jul 31, 2025 9:30 AM GMT+3", "Jul 31, 2025 2:30 AM EDT", "31 Jul 2025 6:30 Z"])
    expect(iso(text, "iso", "Europe/Berlin")).toBe("2025-07-31T06:30:00.000Z");
  expect(iso("2025-07-31 09:30Z", "iso", "Europe/Berlin")).toBe("2025-07-31T09:30:00.000Z");
});

it("takes no time for text that is made to be slow", () => {
  const spaces = " ".repeat(100_000);
  for (const text of [
    "1".repeat(100_000),
    `Jan 1, 2025${spaces}x`,
    `2025-01-01${"T1".repeat(50_000)}`,
    `2025-01-01 10:00${spaces}x`,
    `1/2/2025 10:00${spaces}x`,
  ]) {
    expect([iso(text), iso(text, "dmy")]).toEqual([null, null]);
  }
});
