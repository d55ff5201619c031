import { describe, expect, it } from "vitest";
import type { Row } from "../../../../src/core/rows.ts";
import { protectFields } from "../../../../src/features/privacy/protect.ts";
import {
  namesFor,
  opened,
  openedRows,
  plainFor,
  seenBy,
  shownTo,
  UNREADABLE,
} from "../../../../src/features/privacy/shown.ts";
import type { FormRecord } from "../../../../src/model/form-record.ts";
import type { StoredRevision } from "../../../../src/model/revisions.ts";
import type { SubmissionRecord } from "../../../../src/model/submission-record.ts";
import { inside } from "../../../_support/inside.ts";
import { encryption, listed, noCore } from "../../../_support/privacy.ts";

const record = (fields: Record<string, string>, more: Partial<SubmissionRecord> = {}): SubmissionRecord =>
  ({
    ...{ form_id: "f", team_id: "t", created_at: "2026-01-01T00:00:00.000Z", attachments: [], attached: false },
    ...{ fields: listed(fields), subject: null, reply_to: null, referer: null, ...more },
  }) as SubmissionRecord;

const show = { store: "plain", email: "show", webhook: "show", export: "show", agents: "show" } as const;
const formWith = (fields: Record<string, object>): FormRecord =>
  ({
    settings: {
      fields: Object.fromEntries(Object.entries(fields).map(([name, policy]) => [name, { ...show, ...policy }])),
    },
  }) as unknown as FormRecord;

/** A form whose field `ssn` is encrypted and `pin` hashed, and its submissions as they are stored. */
async function sealing(more: object = {}) {
  const { b, core } = await inside({ encryption });
  const fields = { ssn: { store: "encrypt", ...more }, pin: { store: "hash" } } as const;
  const { id } = await b.forms.create({ name: "A", settings: { fields } });
  const form = (await core.rows.get("forms", id)) ?? expect.fail("no form");
  const parts = async (submission: string, fields: Record<string, string>) => {
    const { clear: _, ...stored } =
      (await protectFields(core, form, submission, listed(fields))) ?? expect.fail("none");
    return stored;
  };
  return {
    ...{ b, core, form },
    /** The stored parts of one version of a submission. */
    parts,
    stored: async (submission: string, fields: Record<string, string>, more: Partial<SubmissionRecord> = {}) => ({
      ...record({}, { form_id: id, ...more }),
      ...(await parts(submission, fields)),
    }),
  };
}

describe("a submission in clear", () => {
  it("is the record itself where nothing is protected and nothing was changed", async () => {
    const plain = record({ a: "1" });
    expect(await opened(noCore, "s", plain)).toBe(plain);
  });

  it("has its values at their places, what was hashed as its hash, and says no more of how they are stored", async () => {
    const { core, stored } = await sealing();
    const kept = await stored("s", { name: "Ann", ssn: "123-45", pin: "9", note: "" }, { subject: "Hi" });
    const shown = await opened(core, "s", kept);
    const { protected: _, ...rest } = kept;
    expect(shown).toEqual({
      ...rest,
      fields: listed({ name: "Ann", ssn: "123-45", pin: expect.stringMatching(/^[0-9a-f]{64}$/) as string, note: "" }),
    });
  });

  it("asks for no key where all is hashed", async () => {
    const { stored } = await sealing();
    const kept = await stored("s", { pin: "9" });
    expect((await opened(noCore, "s", kept)).fields[0]?.value).toMatch(/^[0-9a-f]{64}$/);
  });

  it("says which values can't be read: of another key, of another submission, or without anything", async () => {
    const { core, stored } = await sealing();
    const kept = await stored("s", { ssn: "123-45" });
    const values = async (id: string, { protected: of, ...rest }: SubmissionRecord, data_key?: string) =>
      (await opened(core, id, { ...rest, protected: { ...of!, ...(data_key && { data_key }) } })).fields;
    expect(await values("s", kept)).toEqual(listed({ ssn: "123-45" }));
    expect(await values("other", kept)).toEqual(listed({ ssn: UNREADABLE }));
    expect(await values("s", kept, "dk_gone")).toEqual(listed({ ssn: UNREADABLE }));
    const empty = { ...kept, protected: { data_key: "", values: [{ at: 0 }] } };
    expect((await opened(core, "s", empty)).fields).toEqual(listed({ ssn: UNREADABLE }));
  });

  it("has each version from before a change in clear, with its own protected values only", async () => {
    const { core, parts, stored } = await sealing();
    const revisions: StoredRevision[] = [
      { replaced_at: "2026-01-02T00:00:00.000Z", ...(await parts("s", { ssn: "first" })) },
      { replaced_at: "2026-01-03T00:00:00.000Z", fields: listed({ ssn: "" }) },
    ];
    const kept = await stored("s", { ssn: "third" }, { revisions });
    const clear = [
      { replaced_at: "2026-01-02T00:00:00.000Z", fields: listed({ ssn: "first" }) },
      { replaced_at: "2026-01-03T00:00:00.000Z", fields: listed({ ssn: "" }) },
    ];
    expect(await opened(core, "s", kept)).toMatchObject({ fields: listed({ ssn: "third" }), revisions: clear });
    // Also where the present version has nothing to protect.
    const { protected: _, ...plain } = { ...kept, fields: listed({ name: "Ann" }) };
    expect(await opened(core, "s", plain)).toMatchObject({ fields: listed({ name: "Ann" }), revisions: clear });
    expect(await seenBy(core, null, "s", plain, "reader")).toEqual({ ...plain, revisions: clear });
    expect(await seenBy(noCore, null, "s", record({ a: "1" }, { revisions: [revisions[1]!] }), "email")).toEqual(
      record({ a: "1" }, { revisions: [revisions[1]!] }),
    );
  });
});

describe("a page of submissions", () => {
  const row = (id: string, value: SubmissionRecord): Row<"submissions"> =>
    ({ id, value, version: 7 }) as Row<"submissions">;

  it("is itself where none has anything protected", async () => {
    const rows = [row("a", record({ a: "1" })), row("b", record({ a: "2" }))];
    expect(await openedRows(noCore, rows)).toBe(rows);
    expect(await shownTo(noCore, {}, rows)).toBe(rows);
  });

  it("is in clear, each at its place, as soon as one has", async () => {
    const { core, parts, stored } = await sealing();
    const plain = record({ a: "1" });
    const shown = await openedRows(core, [row("p", plain), row("s", await stored("s", { ssn: "123-45" }))]);
    expect(shown.map(({ id, version }) => [id, version])).toEqual([
      ["p", 7],
      ["s", 7],
    ]);
    expect(shown[0]?.value).toBe(plain);
    expect(shown[1]?.value.fields).toEqual(listed({ ssn: "123-45" }));
    const revisions = [{ replaced_at: "2026-01-02T00:00:00.000Z", ...(await parts("r", { ssn: "first" })) }];
    const [changed] = await shownTo(core, {}, [
      row("r", record({ a: "1" }, { form_id: shown[1]!.value.form_id, revisions })),
    ]);
    expect(changed?.value.revisions?.[0]?.fields).toEqual(listed({ ssn: "first" }));
  });

  it("is without what a caller does not get, and as agents see it for them", async () => {
    const { core, stored } = await sealing({ agents: "mask" });
    const rows = [row("s", await stored("s", { name: "Ann", ssn: "123-45-678", pin: "9" }))];
    const fields = async (caller: Parameters<typeof shownTo>[1], of = rows) =>
      (await shownTo(core, caller, of)).map(({ id, version, value }) => [id, version, value.fields]);
    expect(await fields({ without: ["na*"] })).toEqual([
      [
        "s",
        7,
        [
          { key: "ssn", value: "123-45-678" },
          { key: "pin", value: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ],
      ],
    ]);
    expect(await fields({ sees: "agents" })).toEqual([["s", 7, listed({ name: "Ann", ssn: "••••78" })]]);
    expect(await fields({ sees: "agents", without: ["ssn"] })).toEqual([["s", 7, listed({ name: "Ann" })]]);
    // Of a form that is gone nobody can say any more what agents may see.
    const orphan = [row("s", { ...rows[0]!.value, form_id: "gone" })];
    expect(await fields({ sees: "agents" }, orphan)).toEqual([["s", 7, listed({ name: "Ann" })]]);
  });
});

describe("a submission for a destination", () => {
  const form = formWith({ a: { email: "omit" }, b: { email: "mask", agents: "omit" }, c: { agents: "mask" } });
  const sent = record({ a: "first secret", b: "second secret", c: "third word", d: "fourth" });

  it("is the record itself where the form has no policy and nobody keeps a field from it", async () => {
    const plain = record({ a: "1" });
    for (const policies of [null, formWith({})])
      for (const restriction of [undefined, {}, { without: [] }, { sees: "agents" as const }]) {
        expect(await seenBy(noCore, policies, "s", plain, "email", restriction)).toBe(plain);
        expect(plainFor(policies, plain, "email", restriction)).toBe(plain);
        expect(namesFor(policies, plain, "email", restriction)).toEqual(["a"]);
      }
  });

  it("is without what is omitted and with what is masked; plain are only those that are shown in full", async () => {
    expect((await seenBy(noCore, form, "s", sent, "email")).fields).toEqual(
      listed({ b: "••••ret", c: "third word", d: "fourth" }),
    );
    expect(plainFor(form, sent, "email").fields).toEqual(listed({ c: "third word", d: "fourth" }));
    expect(namesFor(form, sent, "email")).toEqual(["b", "c", "d"]);
    expect((await seenBy(noCore, form, "s", sent, "reader")).fields).toEqual(sent.fields);
    expect(namesFor(form, sent, "webhook")).toEqual(["a", "b", "c", "d"]);
  });

  it("shows the lesser of what it and an agent that made it may see, whichever that is", async () => {
    const made = { sees: "agents" } as const;
    expect((await seenBy(noCore, form, "s", sent, "email", made)).fields).toEqual(listed({ c: "••••rd", d: "fourth" }));
    expect((await seenBy(noCore, form, "s", sent, "webhook", made)).fields).toEqual(
      listed({ a: "first secret", c: "••••rd", d: "fourth" }),
    );
    expect(namesFor(form, sent, "reader", made)).toEqual(["a", "c", "d"]);
    expect(namesFor(form, sent, "reader", { without: ["d", "b"] })).toEqual(["a", "c"]);
    expect(namesFor(form, sent, "agents")).toEqual(["a", "c", "d"]);
  });

  it("keeps a value that was sealed from all but readers, once the form has no policy for it any more", async () => {
    const { core, stored } = await sealing();
    const kept = await stored("s", { name: "Ann", ssn: "123-45" });
    for (const policies of [null, formWith({ other: {} })]) {
      expect((await seenBy(noCore, policies, "s", kept, "email")).fields).toEqual(listed({ name: "Ann" }));
      expect((await seenBy(core, policies, "s", kept, "reader")).fields).toEqual(
        listed({ name: "Ann", ssn: "123-45" }),
      );
      expect(plainFor(policies, kept, "reader").fields).toEqual(listed({ name: "Ann" }));
    }
    const shown = await seenBy(core, formWith({ ssn: { store: "encrypt", email: "mask" } }), "s", kept, "email");
    expect(shown.fields).toEqual(listed({ name: "Ann", ssn: "••••5" }));
    expect("protected" in shown).toBe(false);
  });

  it("has files only where they are shown in full", async () => {
    const file = (key: string, more: object = {}) => ({
      ...{ key, file_id: key, name: "a.txt", mime_type: "text/plain", size: 1, ...more },
    });
    const sealed = { sealed: { data_key: "dk", name: "x" } };
    const files = async (all: ReturnType<typeof file>[], policies: FormRecord | null, sink: "email" | "reader") => {
      const { attachments, attached } = await seenBy(
        ...([noCore, policies, "s", record({}, { attachments: all, attached: true }), sink] as const),
      );
      return [attachments.map(({ key }) => key), attached];
    };
    expect(await files([file("a"), file("b"), file("c")], form, "email")).toEqual([["c"], true]);
    expect(await files([file("a")], form, "email")).toEqual([[], false]);
    expect(await files([file("x"), file("y", sealed)], null, "email")).toEqual([["x"], true]);
    expect(await files([file("y", sealed)], null, "reader")).toEqual([["y"], true]);
    expect(await files([file("x")], null, "email")).toEqual([["x"], true]);
  });

  it("has no hidden value as its subject, reply address, page or origin; what says nothing of one stays", async () => {
    const texts = {
      subject: "About FIRST SECRET!",
      reply_to: "first secret",
      referer: "https://x.example/?a=first+secret",
    };
    const source = listed({ utm_source: "first secret", utm_term: "news" });
    const shown = await seenBy(noCore, form, "s", { ...sent, ...texts, source }, "email");
    expect(shown).toMatchObject({ subject: null, reply_to: null, referer: null });
    expect(shown.source).toEqual(listed({ utm_term: "news" }));
    expect(plainFor(form, { ...sent, ...texts, source }, "email")).toMatchObject({ subject: null, reply_to: null });
    // A masked value counts as hidden.
    expect(plainFor(form, { ...sent, reply_to: "second secret" }, "email").reply_to).toBeNull();
    const open = { subject: "About it", reply_to: "ann@example.com", referer: "https://x.example/" };
    const whole = await seenBy(noCore, form, "s", { ...sent, ...open }, "email");
    expect(whole).toMatchObject(open);
    expect("source" in whole).toBe(false);
    expect(await seenBy(noCore, form, "s", { ...sent, ...texts }, "reader")).toMatchObject(texts);
    // Nothing is hidden, or an empty text, and texts that are not there stay so.
    const empty = await seenBy(
      noCore,
      form,
      "s",
      { ...record({ a: " ", d: "x" }), subject: "", reply_to: "me" },
      "email",
    );
    expect(empty).toMatchObject({ subject: "", reply_to: "me", referer: null });
  });

  it.each([" :: ", "%3A%3A"])(
    "has a hidden value without letters and digits not as its subject %j either",
    (subject) => {
      expect(plainFor(form, { ...record({ a: "::" }), subject }, "email").subject).toBeNull();
      expect(plainFor(form, { ...record({ a: "::" }), subject: "a :: b" }, "email").subject).toBe("a :: b");
    },
  );
});
