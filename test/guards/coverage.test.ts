import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errors } from "../../src/errors.ts";

const read = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") || file.endsWith(".mjs"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");

const testsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");

it("every driver is run through its port's conformance suite", () => {
  const suites = { storage: "storageSuite", mailer: "mailerSuite", blob: "blobSuite", queue: "queueSuite" };
  const factories = /export function (\w+(?:Storage|Mailer|Blob|Queue))\(/g;
  for (const [port, suite] of Object.entries(suites)) {
    const tests = ["unit", "services"]
      .map((tier) => `test/${tier}/drivers/${port}`)
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => readFileSync(file, "utf8"))
      .filter((source) => source.includes(suite))
      .join("\n");
    const names = [...read(`src/drivers/${port}`).matchAll(factories)].map(([, name]) => name as string);
    expect(names.length, port).toBeGreaterThan(0);
    expect(
      names.filter((name) => !tests.includes(name)),
      `${port} drivers without a run of ${suite}`,
    ).toEqual([]);
  }
});

/** True if the code stands within an assertion or a row of cases, and not only where an error is made for a test. */
const asserts = (tests: string, code: string): boolean =>
  tests
    .split("\n")
    .some(
      (line) => line.includes(`"${code}"`) && !new RegExp(`(ApiError|throw|reject)\\w*\\(?[^;]*"${code}"`).test(line),
    );

it("every error code is thrown somewhere and asserted by a test", () => {
  const source = read("src");
  const tests = ["unit", "services", "system"].map((tier) => testsIn(`test/${tier}`)).join("\n");
  const codes = Object.keys(errors);
  expect(
    codes.filter(
      (code) =>
        !new RegExp(`(ApiError|refused|refusal|Promise\\.reject|fail|told)\\([^;]*?"${code}"`, "s").test(source),
    ),
  ).toEqual([]);
  expect(codes.filter((code) => !asserts(tests, code))).toEqual([]);
});

it("each mutant has its place in the source, and a test by its title", () => {
  const mutants = JSON.parse(readFileSync("test/mutants/mutants.json", "utf8")) as {
    readonly [name in "mutant" | "file" | "find" | "test" | "title"]: string;
  }[];
  expect(mutants.length).toBeGreaterThan(15);
  const lost = mutants.filter(
    ({ file, find, test, title }) =>
      readFileSync(file, "utf8").split(find).length !== 2 || !readFileSync(test, "utf8").includes(title),
  );
  expect(lost.map(({ mutant }) => mutant)).toEqual([]);
});

it("each fault that is planted in the simulation has its place in the source", () => {
  const planted = JSON.parse(readFileSync("test/simulation/planted.json", "utf8")) as {
    readonly [name in "fault" | "file" | "find"]: string;
  }[];
  expect(planted.length).toBeGreaterThanOrEqual(20);
  const lost = planted.filter(({ file, find }) => readFileSync(file, "utf8").split(find).length !== 2);
  expect(lost.map(({ fault }) => fault)).toEqual([]);
});
