import type { RoutingRule, Target } from "../../../model/routing.ts";
import { conditionsIn } from "../../../model/routing.ts";
import type { RowsKind } from "./rows.ts";
import { rowsIn, valueIn } from "./rows.ts";
import { tidy } from "./tidy.ts";

/** A target as the controls show it. */
export interface TargetRow {
  /** False: the whole list. */
  readonly picksEmail: boolean;
  readonly recipients: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly picksWebhooks: boolean;
  readonly webhooks: readonly string[];
  readonly subject: string;
  readonly none: boolean;
}

/** A rule as the controls show it. */
export interface RuleRow {
  readonly join: "all" | "any" | "always";
  readonly conditions: readonly {
    readonly field: string;
    readonly type: string;
    readonly value: string;
    readonly negate: boolean;
  }[];
  readonly to: TargetRow;
  readonly stop: boolean;
}

/** The places of an address in a mail. */
export const places = ["recipients", "cc", "bcc"] as const;

export const everything: TargetRow = {
  picksEmail: false,
  recipients: [],
  cc: [],
  bcc: [],
  picksWebhooks: false,
  webhooks: [],
  subject: "",
  none: false,
};

const sorted = (list: readonly string[] = []): string[] => [...new Set(list.map(tidy))].sort();

const shownTarget = ({ recipients, cc, bcc, webhooks, subject, none }: Target): TargetRow => ({
  picksEmail: recipients !== undefined,
  recipients: sorted(recipients),
  cc: sorted(cc),
  bcc: sorted(bcc),
  picksWebhooks: webhooks !== undefined,
  webhooks: sorted(webhooks),
  subject: tidy(subject ?? ""),
  none: none ?? false,
});

const targetOf = ({ picksEmail, recipients, cc, bcc, picksWebhooks, webhooks, subject, none }: TargetRow): Target => ({
  ...(picksEmail && { recipients: [...recipients] }),
  ...(cc.length > 0 && { cc: [...cc] }),
  ...(bcc.length > 0 && { bcc: [...bcc] }),
  ...(picksWebhooks && { webhooks: [...webhooks] }),
  ...(subject !== "" && { subject }),
  ...(none && { none: true as const }),
});

function postedTarget(body: URLSearchParams, path: string): TargetRow {
  const chosen: Record<string, string[]> = {};
  for (const { address, as } of rowsIn((at) => {
    const address = valueIn(body, `${path}.who.${at}.address`);
    return address === null ? null : { address, as: body.get(`${path}.who.${at}.as`) ?? "" };
  })) {
    chosen[as] = [...(chosen[as] ?? []), address];
  }
  const [recipients, cc, bcc] = places.map((place) => sorted(chosen[place]));
  const hooks = [
    ...rowsIn((at) => {
      const id = valueIn(body, `${path}.hook.${at}.id`);
      return id === null ? null : { id, on: body.get(`${path}.hook.${at}.on`) === "on" };
    }),
  ];
  const webhooks = sorted(hooks.filter(({ on }) => on).map(({ id }) => id));
  return {
    // Somebody who chooses an address means it.
    picksEmail: body.get(`${path}.email`) === "picked" || (recipients?.length ?? 0) > 0,
    recipients: recipients ?? [],
    cc: cc ?? [],
    bcc: bcc ?? [],
    picksWebhooks: body.get(`${path}.hooks`) === "picked" || webhooks.length > 0,
    webhooks,
    subject: valueIn(body, `${path}.subject`) ?? "",
    none: body.get(`${path}.none`) === "on",
  };
}

/** A rule without a condition is a spare one, unless it always holds. */
const isRule = ({ join, conditions }: RuleRow): boolean => join === "always" || conditions.length > 0;

function shownRule(rule: RoutingRule): RuleRow {
  const { all } = rule.if;
  return {
    join: all === undefined ? "any" : all.length === 0 ? "always" : "all",
    conditions: conditionsIn(rule).map(({ field, type, value, negate }) => ({
      field: tidy(field),
      type,
      value: tidy(value),
      negate,
    })),
    to: shownTarget(rule.to),
    stop: rule.stop,
  };
}

function postedRule(body: URLSearchParams, path: string): RuleRow | null {
  const join = body.get(`${path}.join`);
  if (join === null) return null;
  const conditions = [
    ...rowsIn((of) => {
      const name = `${path}.if.${of}`;
      const field = valueIn(body, `${name}.field`);
      if (field === null) return null;
      return {
        field,
        type: body.get(`${name}.type`) ?? "",
        value: valueIn(body, `${name}.value`) ?? "",
        negate: body.get(`${name}.negate`) === "on",
      };
    }),
  ].filter(({ field }) => field !== "");
  return {
    join: join === "any" || join === "always" ? join : "all",
    conditions: join === "always" ? [] : conditions,
    to: postedTarget(body, `${path}.to`),
    stop: body.get(`${path}.stop`) === "on",
  };
}

const ruleOf = ({ join, conditions, to, stop }: RuleRow): object => ({
  if: { [join === "any" ? "any" : "all"]: conditions },
  to: targetOf(to),
  stop,
});

/** The rules of a form's routing. */
export const routingRows: RowsKind = {
  text: (value) => JSON.stringify((value as RoutingRule[]).map(shownRule).filter(isRule)),
  posted(body, path) {
    const rows = [
      ...rowsIn((at) => {
        const rule = postedRule(body, `${path}.${at}`);
        return rule && { rule, place: Number(body.get(`${path}.${at}.place`)) || at + 1 };
      }),
    ];
    // Sorting keeps the order of those with the same place.
    return JSON.stringify(
      rows
        .sort((a, b) => a.place - b.place)
        .map(({ rule }) => rule)
        .filter(isRule),
    );
  },
  value: (text) => (JSON.parse(text) as RuleRow[]).map(ruleOf),
};

/** The destinations of submissions that no rule matches; JSON's null for everywhere. */
export const targetRows: RowsKind = {
  text: (value) => JSON.stringify(value === null ? null : shownTarget(value as Target)),
  posted: (body, path) => JSON.stringify(body.get(`${path}.chosen`) === "on" ? postedTarget(body, `${path}.to`) : null),
  value(text) {
    const row = JSON.parse(text) as TargetRow | null;
    return row && targetOf(row);
  },
};
