import { beforeEach, describe, expect, it } from "vitest";
import { createPlaces, type Places } from "../../src/jobs/places.ts";

describe("the places of a lane", () => {
  let places: Places;
  beforeEach(() => {
    places = createPlaces({ inFlight: 10, perTarget: 8 }, () => 0);
  });
  const take = (target: string, n: number) => Array.from({ length: n }, () => places.take(target));

  it("are so many in all, and so many for each target", () => {
    expect(places.claimable(4)).toEqual({ limit: 10, perTarget: 4, exclude: [] });
    const [first] = take("a", 5);
    expect(places.claimable(4)).toEqual({ limit: 5, perTarget: 4, exclude: ["a"] });
    expect(places.claimable(3)).toEqual({ limit: 5, perTarget: 3, exclude: [] });
    first?.();
    expect(places.claimable(4)).toEqual({ limit: 6, perTarget: 4, exclude: [] });
    take("b", 5);
    expect(places.isFull()).toBe(false);
    take("c", 1);
    expect([places.isFull(), places.claimable(4).limit]).toEqual([true, 0]);
  });

  it("are worth no claim while the last one left nothing that there is room for", () => {
    expect(places.worthAClaim(4), "nothing is known yet").toBe(true);
    places.claimed({ limit: 10, perTarget: 4, exclude: [] }, ["a", "a", "b"]);
    take("a", 2);
    const [b] = take("b", 1);
    expect(places.worthAClaim(4), "each had fewer than it might").toBe(false);
    b?.();
    expect(places.worthAClaim(4), "of b there was no more").toBe(false);
    places.forget();
    expect(places.worthAClaim(4)).toBe(true);
  });

  it("are worth one where a target got all that it might, or was left out, and has room again", () => {
    places.claimed({ limit: 6, perTarget: 4, exclude: ["b"] }, ["a", "a", "a", "a"]);
    const [a] = take("a", 5);
    const [b] = take("b", 5);
    expect(places.worthAClaim(4)).toBe(false);
    a?.();
    expect(places.worthAClaim(4)).toBe(true);
    take("a", 1);
    expect(places.worthAClaim(4)).toBe(false);
    b?.();
    expect(places.worthAClaim(4)).toBe(true);
  });

  it("are worth one where the last claim got as many as it asked for", () => {
    take("a", 8);
    places.claimed({ limit: 2, perTarget: 4, exclude: ["a"] }, ["b", "b"]);
    take("b", 2);
    expect(places.worthAClaim(4)).toBe(true);
  });

  it("are crumbs where a target has fewer left than a claim's worth", () => {
    expect(places.hasCrumbs(4)).toBe(false);
    take("a", 4);
    expect(places.hasCrumbs(4)).toBe(false);
    take("a", 1);
    expect(places.hasCrumbs(4)).toBe(true);
    take("a", 3);
    expect(places.hasCrumbs(4)).toBe(false);
  });
});
