import { describe, expect, it } from "vitest";
import { type InboxTheme, ThemeSchema } from "../../../../src/surfaces/inbox/options-theme.ts";
import { themeSheet } from "../../../../src/surfaces/inbox/theme.ts";

const sheetOf = (theme: InboxTheme): string => themeSheet(ThemeSchema.parse(theme));

const DARK_PANEL = "--panel:#17191d";

describe("the colours of an inbox", () => {
  it("are dark on screens only: paper is light", () => {
    for (const mode of ["dark", "system"] as const) {
      const sheet = sheetOf({ primary: "#2563eb", mode });
      const [paper = "", ...screens] = sheet.split("@media screen");
      expect(paper, mode).toContain("--panel:#ffffff");
      expect(paper, mode).not.toMatch(/dark;|prefers-color-scheme/);
      expect(screens.join(""), mode).toContain(DARK_PANEL);
    }
    expect(sheetOf({ primary: "#2563eb", mode: "system" })).toContain("@media screen and (prefers-color-scheme:dark)");
    expect(sheetOf({ primary: "#2563eb", mode: "light" })).not.toMatch(/@media|color-scheme:[^;]*dark/);
  });
});
