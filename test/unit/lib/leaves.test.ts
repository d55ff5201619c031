import { describe, expect, it } from "vitest";
import {
  block,
  dictionary,
  flag,
  LeafError,
  list,
  moment,
  nullable,
  number,
  oneOf,
  optional,
  text,
} from "../../../src/lib/leaves.ts";

interface Thing {
  name: string;
  size: number;
  on: boolean;
  kind: "a" | "b";
  note: string | null;
  extra?: number;
  at: string;
  tags: string[];
  inner: { deep: { word: string } };
  map: Record<string, number>;
}

const thing = block<Thing>({
  name: text(),
  size: number(1),
  on: flag(true),
  kind: oneOf(["a", "b"], "a"),
  note: nullable(text()),
  extra: optional(number()),
  at: moment(),
  tags: list(text(), ["new"]),
  inner: block<Thing["inner"]>({ deep: block<Thing["inner"]["deep"]>({ word: text("hi") }) }),
  map: dictionary(number()),
});

const whole: Thing = {
  name: "n",
  size: 2,
  on: false,
  kind: "b",
  note: "x",
  extra: 3,
  at: "2026-01-01T00:00:00.000Z",
  tags: [],
  inner: { deep: { word: "w" } },
  map: { one: 1 },
};

describe("a record", () => {
  it("that is sound is answered itself, not a copy", () => {
    expect(thing.read(whole)).toBe(whole);
  });

  it("has the default of each leaf that it lacks, and is not changed", () => {
    const stored = Object.freeze({ name: "n" });
    expect(thing.read(stored)).toEqual({
      name: "n",
      size: 1,
      on: true,
      kind: "a",
      note: null,
      at: "1970-01-01T00:00:00.000Z",
      tags: ["new"],
      inner: { deep: { word: "hi" } },
      map: {},
    });
  });

  it("shares no default with another", () => {
    const one = thing.read({ name: "n" });
    one.tags.push("mine");
    one.inner.deep.word = "mine";
    expect(thing.read({ name: "n" })).toMatchObject({ tags: ["new"], inner: { deep: { word: "hi" } } });
  });

  it("keeps what it does not know, also beside a default, and treats null as absent where a leaf can't be null", () => {
    const stored = { name: "n", later: { x: 1 }, inner: { deep: { word: null, later: 1 } }, extra: null, on: null };
    expect(thing.read(stored)).toMatchObject({ later: { x: 1 }, inner: { deep: { word: "hi", later: 1 } }, on: true });
    expect(thing.read(stored)).not.toHaveProperty("extra");
  });

  it.each([
    [{}, "name", "is missing"],
    [{ name: 5 }, "name", "must be a text, not a number"],
    [{ ...whole, size: "2" }, "size", "must be a number, not a text"],
    [{ ...whole, kind: "c" }, "kind", "must be one of a, b, not another text"],
    [{ ...whole, tags: ["a", {}] }, "tags.1", "must be a text, not an object"],
    [{ ...whole, inner: { deep: [] } }, "inner.deep", "must be an object, not a list"],
    [{ ...whole, map: { one: true } }, "map.one", "must be a number, not true or false"],
    ["text", "", "must be an object, not a text"],
  ])("%j names the leaf and what is wrong with it", (stored, path, fault) => {
    const error = (() => {
      try {
        return thing.read(stored);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(LeafError);
    expect(error).toMatchObject({ path, fault });
  });
});
