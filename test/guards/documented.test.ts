import { expect, it } from "vitest";
import {
  commentOf,
  descriptionOf,
  documentedEntries,
  membersOf,
  programOf,
  unexplained,
} from "../../scripts/members.mjs";

it("every member of the public types has a comment, or says in its schema what it is", { timeout: 120_000 }, () => {
  const files = Object.keys(documentedEntries);
  const program = programOf(files);
  const silent = [...membersOf(program, files)]
    .filter(([path]) => !unexplained.some((pattern) => pattern.test(path)))
    .filter(([, symbol]) => commentOf(program, symbol) === "" && descriptionOf(program, symbol) === "")
    .map(([path]) => path);
  expect(silent).toEqual([]);
});
