import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formats } from "../../../../../src/features/webhooks/formats/table.ts";
import type { FormatEvent } from "../../../../../src/features/webhooks/formats/types.ts";
import { anyEvent, CASES, eventOf, hostile, urls } from "../../../../_support/format-events.ts";
import * as judges from "./_judges.ts";

const seen = {
  slack: judges.slack,
  discord: judges.discord,
  teams: judges.teams,
  telegram: judges.telegram,
  mattermost: judges.mattermost,
  google_chat: judges.google_chat,
} as const;

const bodyOf = (name: keyof typeof urls, event: FormatEvent): string => formats[name].body(event, new URL(urls[name]));

/** Text without all that is invisible or that layout may change; empty text is shown as a dash. */
const bare = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\s]/gu, "") || "—";

/** The fields and files of a submission, as a reader should see them. */
function expected({ submission: { fields, attachments } }: FormatEvent): { key: string; value: string }[] {
  const names = [...new Set(fields.map(({ key }) => key))];
  return [
    ...names.map((key) => ({
      key,
      value: fields
        .filter((field) => field.key === key)
        .map(({ value }) => value)
        .join(", "),
    })),
    ...attachments.map(({ key, url }) => ({
      key,
      value: decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? ""),
    })),
  ].map(({ key, value }) => ({ key: bare(key), value: bare(value) }));
}

/** Whether a text is shown whole, or its beginning with `…`. */
function shows(shown: string, whole: string): boolean {
  const text = bare(shown);
  return text === whole || (text.endsWith("…") && whole.startsWith(text.slice(0, -1)));
}

function judge(name: keyof typeof seen, event: FormatEvent): void {
  const { fields, more } = seen[name](bodyOf(name, event));
  const all = expected(event);
  expect(fields.length + more).toBe(all.length);
  for (const [at, { key, value }] of fields.entries()) {
    if (!shows(key, all[at]?.key ?? "")) expect(bare(key)).toBe(all[at]?.key);
    if (!shows(value, all[at]?.value ?? "")) expect(bare(value)).toBe(all[at]?.value);
  }
}

describe.each(Object.keys(seen) as (keyof typeof seen)[])("a body for %s", (name) => {
  it(`is within the service's limits and shows ${CASES} random submissions as they were written`, {
    timeout: 600_000,
  }, () => {
    fc.assert(
      fc.property(anyEvent, (event) => judge(name, event)),
      { numRuns: CASES },
    );
  });

  it.each(hostile.map((event, at) => ({ at, event })))("withstands hostile submission $at", ({ event }) =>
    judge(name, event),
  );

  it("leaves nothing out of an ordinary submission, and cuts nothing", () => {
    const fields = Array.from({ length: 20 }, (_, n) => ({ key: `field_${n}`, value: `value ${n}, with some words.` }));
    const read = seen[name](bodyOf(name, eventOf({ fields })));
    expect(read.more).toBe(0);
    expect(read.fields.map(({ key, value }) => ({ key: bare(key), value: bare(value) }))).toEqual(
      fields.map(({ key, value }) => ({ key: bare(key), value: bare(value) })),
    );
  });

  it("has a place for a submission without a field", () => {
    expect(seen[name](bodyOf(name, eventOf()))).toEqual({ fields: [], more: 0 });
  });
});

describe("a body for ntfy", () => {
  const check = (event: FormatEvent): void => {
    const { message, more } = judges.ntfy(bodyOf("ntfy", event));
    const all = expected(event);
    const text = bare(message);
    const shown = all.slice(0, all.length - more);
    // Of each that is said to be shown, at least the beginning is there, in order.
    let from = 0;
    for (const { key } of shown) {
      const at = text.indexOf([...key].slice(0, 15).join(""), from);
      expect(at).toBeGreaterThanOrEqual(from);
      from = at;
    }
  };

  it(`is within its limits for ${CASES} random submissions`, { timeout: 600_000 }, () => {
    fc.assert(fc.property(anyEvent, check), { numRuns: CASES });
  });

  it.each(hostile.map((event, at) => ({ at, event })))("withstands hostile submission $at", ({ event }) =>
    check(event),
  );
});

describe("a body for flat", () => {
  const check = (event: FormatEvent): void => {
    const { submission } = event;
    const body = JSON.parse(bodyOf("flat", event)) as Record<string, unknown>;
    const ours = { submission_id: submission.id, form_id: submission.form_id, created_at: submission.created_at };
    for (const [name, value] of Object.entries(ours)) expect(body[name]).toBe(value);
    for (const key of new Set(submission.fields.map((field) => field.key))) {
      if (Object.hasOwn(ours, key)) continue;
      const sent = submission.fields.filter((field) => field.key === key);
      const values = sent.map(({ value }) => value.toWellFormed());
      const got = Object.getOwnPropertyDescriptor(body, key)?.value as unknown;
      expect([got].flat().map((value) => String(value).toWellFormed())).toEqual(values);
    }
  };

  it(`has every field of ${CASES} random submissions`, { timeout: 600_000 }, () => {
    fc.assert(fc.property(anyEvent, check), { numRuns: CASES });
  });

  it.each(hostile.map((event, at) => ({ at, event })))("withstands hostile submission $at", ({ event }) =>
    check(event),
  );

  it("says a file's link where no field has its name", () => {
    const event = eventOf({
      fields: [{ key: "cv", value: "see file" }],
      files: [
        { key: "cv", name: "a.pdf" },
        { key: "photo", name: "b.png" },
      ],
    });
    expect(JSON.parse(bodyOf("flat", event))).toMatchObject({
      cv: "see file",
      photo: expect.stringContaining("/b.png?"),
    });
  });
});

describe("a body for standard", () => {
  it("is the envelope of Standard Webhooks", () => {
    const event = eventOf({ fields: [{ key: "a", value: "b" }] });
    expect(JSON.parse(bodyOf("standard", event))).toEqual({
      type: "submission.created",
      timestamp: event.submission.created_at,
      data: event.submission,
    });
  });
});
