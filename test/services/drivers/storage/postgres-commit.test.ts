import { expect, it } from "vitest";
import { compiler } from "../../../../src/drivers/storage/_postgres/commit.ts";
import { pgTable } from "../../../../src/drivers/storage/_postgres/table.ts";
import type { Write } from "../../../../src/drivers/storage/types.ts";

const mark = (id: string, expect?: number | null): Write => ({
  op: "put",
  collection: "marks",
  id,
  value: { expires_at: "2026-01-01T00:00:00.000Z" },
  ...(expect !== undefined && { expect }),
});

it.each([
  ["fresh rows", (id: string) => mark(id, null)],
  ["rows of a version", (id: string) => mark(id, 1)],
  ["rows whatever they are", (id: string) => mark(id)],
  ["rows that go", (id: string): Write => ({ op: "remove", collection: "marks", id })],
])(
  "%s are written in one order, so that two commits of the same do not wait for each other in a circle",
  (_, write) => {
    const { compile } = compiler("s", (collection) => pgTable("s", collection));
    const idsOf = (ids: string[]): string[] =>
      compile(ids.map(write), 0).flatMap(({ params }) =>
        (JSON.parse(String(params[0])) as { id: string }[]).map(({ id }) => id),
      );
    expect(idsOf(["b", "c", "a"])).toEqual(["a", "b", "c"]);
  },
);
