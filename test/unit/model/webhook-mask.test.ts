import { describe, expect, it } from "vitest";
import { isMasked, maskUrl, sameMask } from "../../../src/model/webhook-mask.ts";
import { urls } from "../../_support/format-events.ts";

const secret = ["slack", "discord", "teams", "telegram", "mattermost", "google_chat"] as const;

describe("a masked URL", () => {
  it.each<[(typeof secret)[number], string]>([
    ["slack", "https://hooks.slack.com/services/…1234"],
    ["discord", "https://discord.com/api/…1234"],
    ["teams", "https://prod-1.westeurope.logic.azure.com/workflows/…1234"],
    ["telegram", "https://api.telegram.org/bot…7890"],
    ["mattermost", "https://chat.example.com/hooks/…1234"],
    ["google_chat", "https://chat.googleapis.com/v1/…1234"],
  ])("of %s is %s", (name, masked) => {
    expect(maskUrl(new URL(urls[name]).href, name)).toBe(masked);
  });

  it("holds nothing of the secret but four characters", () => {
    for (const name of secret) {
      const masked = maskUrl(urls[name], name);
      const { pathname, search } = new URL(urls[name]);
      // Any five characters in a row behind the first segment of the path.
      const hidden = name === "telegram" ? pathname.slice(4) : pathname.slice(pathname.indexOf("/", 1) + 1) + search;
      for (let at = 0; at + 5 <= hidden.length; at++) expect(masked, name).not.toContain(hidden.slice(at, at + 5));
    }
  });

  it("is known again as it is and as a URL parser writes it", () => {
    for (const name of secret) {
      const masked = maskUrl(urls[name], name);
      for (const sent of [masked, new URL(masked).href]) {
        expect(isMasked(sent), sent).toBe(true);
        expect(sameMask(sent, masked), sent).toBe(true);
      }
      expect(sameMask(masked.replace(/.$/, "x"), masked)).toBe(false);
      expect(isMasked(urls[name])).toBe(false);
    }
  });
});
