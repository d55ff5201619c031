import { expect, it } from "vitest";
import { type Canaries, DAY, emailOf, nest, type Open, saveDraft, send } from "./canaries.ts";

type Kinds = "stored" | "transient" | "pending";

/**
 * Holds every way to remove what was sent against a store: nothing of a visitor or receiver may be left in any row or file.
 * `inFiles`: the store's files are in the world's folder.
 */
export function leavesNothing({ world, formOf, theirs }: Canaries, open: Open, inFiles: boolean): void {
  const encrypt = { store: "encrypt" as const };
  /** The forms of each kind, each with a post whose deliveries failed, and a draft. */
  async function held(more: object = {}, kinds: readonly Kinds[] = ["stored", "transient", "pending"]) {
    const w = await world(open);
    const [visitor, tenant] = [nest(), nest()];
    const forms: Record<Kinds, string> = { stored: "", transient: "", pending: "" };
    const sent: typeof forms = { ...forms };
    const settings = { drafts: { enabled: true }, ...more };
    const storage = { keep_for: "7_days" as const };
    forms.stored = await formOf(w, tenant, 422, { storage, settings });
    if (kinds.includes("transient"))
      forms.transient = await formOf(w, tenant, 500, { storage: { ...storage, store_submissions: false }, settings });
    if (kinds.includes("pending"))
      forms.pending = await formOf(w, tenant, 422, {
        storage,
        settings: { ...settings, double_opt_in: { enabled: true } },
      });
    for (const name of kinds) {
      const answer = await send(w, forms[name], visitor);
      expect(answer.status).toBe(200);
      sent[name] = answer.json.submission_id;
    }
    await w.b.tick();
    return { w, visitor, tenant, forms, sent };
  }
  type Held = Awaited<ReturnType<typeof held>>;
  const all = (held: Held) => Object.values(held.forms);

  const values = ["address", "value", "field name", "_subject", "file name", "User-Agent", "Referer"];

  interface Way {
    /** Settings of the forms. */
    more?: object;
    /** The kinds of forms; all where it is left out. */
    kinds?: Kinds[];
    /** Places whose values stay: the log of deliveries keeps the addressee of a reply. */
    stays?: string[];
    /** True if a draft goes as well. */
    wide?: boolean;
    /** Places whose values go; all where it is left out. */
    only?: string[];
    run(held: Held): Promise<unknown>;
  }
  const ways: Record<string, Way> = {
    DELETE: {
      kinds: ["stored"],
      stays: ["address"],
      async run({ w, forms, sent }) {
        const { status } = await w.b.call("DELETE", `/v1/forms/${forms.stored}/submissions/${sent.stored}`);
        expect(status).toBe(200);
      },
    },
    "a bulk delete": {
      kinds: ["stored"],
      stays: ["address"],
      async run({ w, forms, sent }) {
        const body = { action: "delete", ids: [sent.stored] };
        const { json } = await w.b.call("POST", `/v1/forms/${forms.stored}/submissions/bulk`, { body });
        expect(json.changed).toBe(1);
      },
    },
    "a retention sweep": {
      wide: true,
      stays: ["address"],
      async run({ w }) {
        await w.b.clock.advance(31 * DAY);
        await w.b.sweep();
      },
    },
    "the erasure of the person": {
      wide: true,
      async run({ w, visitor }) {
        const { status } = await w.b.call("POST", "/v1/data-subjects/erase", { body: { email: emailOf(visitor) } });
        expect(status).toBe(200);
      },
    },
    "forms.shred": {
      more: { fields: { note: encrypt, cv: encrypt } },
      wide: true,
      only: ["value", "file name", "file bytes", "draft value"],
      run: async ({ w, ...rest }) => {
        for (const id of all({ w, ...rest })) await w.b.forms.shred(id);
      },
    },
    "the deletion of the forms and retention": {
      wide: true,
      stays: ["address"],
      async run({ w, ...rest }) {
        for (const id of all({ w, ...rest })) await w.b.forms.delete(id);
        await w.b.clock.advance(31 * DAY);
        await w.b.sweep();
      },
    },
    "the deletion of a team that has got the forms and all that is theirs": {
      wide: true,
      async run({ w, ...rest }) {
        const { b } = w;
        await b.teams.create({ id: "gone", name: "Gone" });
        for (const id of all({ w, ...rest })) await b.forms.move(id, { team_id: "gone" });
        await b.sweep();
        await b.teams.delete("gone");
        for (let n = 0; n < 5 && !(await b.teams.deletion("gone")).done; n++) await b.sweep();
        expect((await b.teams.deletion("gone")).done).toBe(true);
      },
    },
  };

  it.each(Object.entries(ways))("after %s", async (name, { more, kinds, wide, only, stays = [], run }) => {
    const one = await held(more, kinds);
    const { w, visitor, tenant, forms } = one;
    if (wide) await saveDraft(w, forms.stored, visitor);
    // The search finds the value in the place that has it.
    const before = await w.rows();
    if (!only) {
      expect(visitor.in(before)).toEqual(expect.arrayContaining(values));
      expect(visitor.in(w.bytes())).toContain("file bytes");
      expect(theirs.in(before)).toContain("answer 422");
      if (inFiles) expect(visitor.in(w.bytes())).toEqual(expect.arrayContaining(values));
    }
    await run(one);
    const left = (bytes: Buffer | string) =>
      visitor.in(bytes).filter((place) => !stays.includes(place) && (!only || only.includes(place)));
    const rows = await w.rows();
    expect(left(rows)).toEqual([]);
    expect(theirs.in(rows)).toEqual([]);
    if (name.includes("forms and")) expect(tenant.in(rows)).toEqual([]);
    // A sweep empties the journal after a deletion, too.
    await w.b.sweep();
    expect(left(w.bytes())).toEqual([]);
    expect(theirs.in(w.bytes())).toEqual([]);
    if (name.includes("forms and")) expect(tenant.in(w.bytes())).toEqual([]);
    await w.b.close();
    expect(left(w.bytes())).toEqual([]);
  });
}
