import { expect, it } from "vitest";
import { csvLine } from "../../src/submissions/csv.ts";

it.each([
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", '"\'\r=1"'],
  ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
  ["a=1", "a=1"],
])("%j becomes the cell %j", (text, cell) => {
  expect(csvLine([text, "b"])).toBe(`${cell},b\r\n`);
});
