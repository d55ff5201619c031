import { describe, expect, it } from "vitest";
import { formats } from "../../../../../src/features/webhooks/formats/table.ts";
import { urls } from "../../../../_support/format-events.ts";

type Name = keyof typeof urls;
const names = Object.keys(urls) as Name[];

describe("a URL of a format", () => {
  it.each(names)("%s takes what the service gives out", (name) => {
    expect(formats[name].check(new URL(urls[name]))).toBe(true);
  });

  it.each(names.filter((name) => name !== "standard" && name !== "flat"))("%s refuses those of the others", (name) => {
    const others = names.filter((other) => other !== name);
    expect(others.filter((other) => formats[name].check(new URL(urls[other])))).toEqual([]);
  });

  it("is judged by its path, whatever its host", () => {
    for (const name of names) {
      const url = new URL(urls[name]);
      url.host = "proxy.internal.example:8443";
      expect(formats[name].check(url), name).toBe(true);
    }
  });

  it.each<[Name, string]>([
    ["slack", "https://hooks.slack.com/workflows/T0/A0/1/abc"],
    ["slack", "https://hooks.slack.com/services/T0/B0"],
    ["discord", "https://discord.com/api/webhooks/123/token/slack"],
    ["discord", "https://discord.com/channels/123/456"],
    ["teams", "https://contoso.webhook.office.com/webhookb2/guid/IncomingWebhook/a/b"],
    ["telegram", "https://api.telegram.org/bot1:a/sendMessage"],
    ["telegram", "https://api.telegram.org/bot1:a/sendMessage?chat_id="],
    ["telegram", "https://api.telegram.org/bot1:a/sendMessage?chat_id=my chat"],
    ["telegram", "https://api.telegram.org/bot1:a/sendPhoto?chat_id=1"],
    ["mattermost", "https://chat.example.com/team/channels/town-square"],
    ["google_chat", "https://chat.googleapis.com/v1/spaces/AAAA"],
    ["ntfy", "https://ntfy.sh/"],
    ["ntfy", "https://ntfy.sh/topic/json"],
  ])("%s refuses %s", (name, url) => {
    expect(formats[name].check(new URL(url))).toBe(false);
  });

  it.each<[Name, string]>([
    ["discord", "https://discordapp.com/api/v10/webhooks/123/token?thread_id=456"],
    [
      "teams",
      "https://x.01.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/0a/triggers/manual/paths/invoke?api-version=1&sig=x",
    ],
    ["telegram", "https://api.telegram.org/bot1:a/sendMessage?chat_id=@channelname"],
    ["mattermost", "https://example.com/chat/hooks/abc"],
  ])("%s takes %s", (name, url) => {
    expect(formats[name].check(new URL(url))).toBe(true);
  });
});

describe("where a request goes", () => {
  const address = (name: Name, url: string): string => formats[name].address?.(new URL(url)) ?? url;

  it("is the URL itself, but for the services that want something else", () => {
    expect(names.filter((name) => address(name, urls[name]) === urls[name])).toEqual([
      "standard",
      "flat",
      "slack",
      "teams",
      "mattermost",
      "google_chat",
    ]);
    expect(address("discord", "https://discord.com/api/webhooks/1/x?thread_id=2")).toBe(
      "https://discord.com/api/webhooks/1/x?thread_id=2&wait=true",
    );
    expect(address("telegram", urls.telegram)).toBe("https://api.telegram.org/bot123456:ABC-def1234ghIkl/sendMessage");
    expect(address("ntfy", "https://ntfy.example/topic?auth=abc")).toBe("https://ntfy.example/?auth=abc");
  });
});

describe("a secret URL", () => {
  it("is that of the six formats whose URL is a key", () => {
    const secret = names.filter((name) => formats[name].secret);
    expect(secret).toEqual(["slack", "discord", "teams", "telegram", "mattermost", "google_chat"]);
  });
});
