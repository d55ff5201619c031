import type { Html } from "../../../lib/html.ts";
import type { Scope } from "../../../model/keys.ts";
import type { Item } from "../item.ts";
import type { Texts } from "../texts.ts";
import type { MemberRequest } from "../visit.ts";
import { deliveryTab } from "./_delivery-tab.ts";
import { messageTab } from "./_message.ts";
import { rawTab } from "./_raw.ts";
import { spamTab } from "./_spam.ts";
import type { Draft } from "./_thread.ts";

/** A side of a submission. */
export interface ItemTab {
  readonly name: string;
  readonly text: (t: Texts) => string;
  readonly needs: readonly Scope[];
  readonly show: (visit: MemberRequest, item: Item, draft?: Draft) => Html | Promise<Html>;
}

/** The sides of a submission, the first one first. */
export const itemTabs: readonly ItemTab[] = [
  { name: "message", text: (t) => t.item.message(), needs: ["submissions:read"], show: messageTab },
  { name: "delivery", text: (t) => t.item.delivery(), needs: ["submissions:read"], show: deliveryTab },
  { name: "spam", text: (t) => t.item.spam(), needs: ["submissions:read"], show: spamTab },
  { name: "raw", text: (t) => t.item.raw(), needs: ["submissions:read"], show: rawTab },
];
