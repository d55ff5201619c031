import { expect, it } from "vitest";
import { csvLine } from "../../../src/model/submission-csv.ts";

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
  // Behind `;`, a tab and a line break other spreadsheets begin a cell, whatever quotes of ours stand around.
  ["\t=1", "'\t'=1"],
  ["\r=1", "\"'\r'=1\""],
  ["a;=1+1", "a;'=1+1"],
  ["a;-1+cmd|' /C calc'!A0", "a;'-1+cmd|' /C calc'!A0"],
  ["a\t@SUM(A1)", "a\t'@SUM(A1)"],
  ["a; ＝1", "a; '＝1"],
  ['a;"=1+1"', '"a;""\'=1+1"""'],
  ["a;;=1;+2", "a;;'=1;'+2"],
  ["a\n=1+1", '"a\n\'=1+1"'],
  ["- milk\n- eggs; bread", '"\'- milk\n- eggs; bread"'],
  ["a; b = c", "a; b = c"],
  ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
  ["a=1", "a=1"],
])("%j becomes the cell %j", (text, cell) => {
  expect(csvLine([text, "b"])).toBe(`${cell},b\r\n`);
});
