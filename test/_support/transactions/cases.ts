import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/surfaces/testing/backend.ts";
import type { Held, Library, LibraryOf } from "./library.ts";

/** A database with a store, and the host's own table beside it. */
export interface Place {
  readonly url: string;
  readonly backend: TestBackend;
  readonly form: string;
  /** The host's own table, with one text column `submission_id`. */
  readonly own: string;
  /** The rows of a table. */
  count(table: string): Promise<number>;
}

const undo = new Error("undo");

/** A row of the table library × database: commit, rollback, a failure inside, a savepoint, transactions at once, an ended one. */
export function transactionCases(of: LibraryOf, place: () => Place): void {
  describe(of.name, () => {
    let library: Library;
    beforeAll(async () => {
      library = await of.open(place().url);
    }, 120_000);
    afterAll(() => library?.close());

    const submit = ({ tx }: Pick<Held, "tx">, n: string, idempotency_key?: string) =>
      place().backend.submit(
        place().form,
        { fields: { n }, ...(idempotency_key !== undefined && { idempotency_key }) },
        { tx },
      );
    const both = async (held: Held, n: string, key?: string): Promise<void> => {
      const { id } = await submit(held, n, key);
      await held.sql(`INSERT INTO ${place().own} VALUES ('${id}')`);
    };
    const state = async () => ({
      submissions: (await place().backend.submissions.count(place().form)).count,
      own: await place().count(place().own),
    });
    const grown = async (before: Awaited<ReturnType<typeof state>>, more: number): Promise<void> =>
      expect(await state()).toEqual({ submissions: before.submissions + more, own: before.own + more });

    it("commits the submission with the host's row, and nobody sees it before", async () => {
      const before = await state();
      await library.transaction(async (held) => {
        await both(held, "1");
        await grown(before, 0);
      });
      await grown(before, 1);
    });

    it("takes both back in a rollback", async () => {
      const before = await state();
      const rolledBack = library.transaction(async (held) => {
        await both(held, "2");
        throw undo;
      });
      await expect(rolledBack).rejects.toBe(undo);
      await grown(before, 0);
    });

    it("stays usable after a submission that is refused inside", async () => {
      const before = await state();
      const key = `${of.name} refused`;
      await library.transaction(async (held) => {
        await both(held, "3", key);
        await expect(submit(held, "3", key)).rejects.toMatchObject({ code: "idempotency_in_progress" });
        await both(held, "4");
      });
      await grown(before, 2);
    });

    it("keeps each of many at once that is not refused", async () => {
      const before = await state();
      const keys = ["a", "a", "b", "c", undefined].map((key) => key && `${of.name} ${key}`);
      await library.transaction(async (held) => {
        const ended = await Promise.allSettled(keys.map((key, i) => submit(held, String(i), key)));
        const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
        expect(reasons).toEqual(["idempotency_in_progress"]);
      });
      expect((await state()).submissions).toBe(before.submissions + 4);
    });

    it("keeps two transactions at once apart", async () => {
      if (library.single) return expect(library.single).toMatch(/one writer/);
      const before = await state();
      let isWritten = (): void => {};
      const written = new Promise<void>((resolve) => {
        isWritten = resolve;
      });
      const first = library.transaction(async (held) => {
        await both(held, "kept");
        isWritten();
      });
      const second = library.transaction(async (held) => {
        await written;
        await both(held, "undone");
        throw undo;
      });
      await Promise.all([first, expect(second).rejects.toBe(undo)]);
      await grown(before, 1);
    });

    it("takes a part back with a savepoint", async () => {
      const { nested } = library;
      if (typeof nested === "string") return expect(nested).toMatch(/savepoints/);
      const before = await state();
      await library.transaction(async (held) => {
        await both(held, "outside");
        const inside = nested(held, async (inner) => {
          await both(inner, "inside");
          throw undo;
        });
        await expect(inside).rejects.toBe(undo);
        await both(held, "after");
      });
      await grown(before, 2);
    });

    it("is refused when it has ended, with nothing written", async () => {
      const before = await state();
      let ended: Held | undefined;
      await library.transaction(async (held) => {
        ended = held;
      });
      const refused = await submit(ended!, "late").catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TypeError);
      expect(refused).toMatchObject({
        message: expect.stringMatching(/has no transaction open/),
        cause: expect.any(Error),
      });
      await grown(before, 0);
    });
  });
}
