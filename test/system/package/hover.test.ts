import { resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { commentOf, documentedEntries, membersOf, programOf, unexplained } from "../../../scripts/members.mjs";

const files = Object.values(documentedEntries);

describe("what an editor shows of the built types", () => {
  const program = programOf(files);
  const members = membersOf(program, files);

  it("explains every member of every type", { timeout: 120_000 }, () => {
    for (const path of [
      "HostForm.settings.key",
      "Webhook.last_delivery.attempt",
      "DeliveryEvent.message",
      "Team.owner.email",
    ])
      expect(members.has(path), path).toBe(true);
    const silent = [...members]
      .filter(
        ([path, symbol]) => !unexplained.some((pattern) => pattern.test(path)) && commentOf(program, symbol) === "",
      )
      .map(([path]) => path);
    expect(silent).toEqual([]);
    for (const pattern of unexplained) expect([...members.keys()].some((path) => pattern.test(path))).toBe(true);
  });

  it("is what a program that uses them gets under its cursor", () => {
    expect(hover('import type { HostForm } from "./index.js"; declare const x: HostForm; x.storage.keep_for')).toBe(
      "How long submissions are kept: `<n>_days` or `forever`.",
    );
    expect(
      hover('import type { HostFormPatch } from "./index.js"; const x: HostFormPatch = {}; x.settings?.labels'),
    ).toMatch(/^Names of fields on pages and in emails/);
    expect(
      hover('import type { WebhookCreate } from "./index.js"; const x: WebhookCreate = { url: "" }; x.events'),
    ).toBe("The events that it gets.");
    expect(hover('import type { Client } from "./client.js"; declare const x: Client; x.createForm')).toBe(
      "Create a form",
    );
  });
});

/** The comment at the end of a program that lies beside the built files. */
function hover(text: string): string {
  const file = resolve("dist/hover.ts");
  const options = programOf([]).getCompilerOptions();
  const read = (name: string): string | undefined => (name === file ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = read(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
  });
  return ts.displayPartsToString(service.getQuickInfoAtPosition(file, text.length)?.documentation);
}
