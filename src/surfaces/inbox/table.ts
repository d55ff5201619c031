import type { Scope } from "../../model/keys.ts";
import type { InboxRow } from "./rows.ts";
import { tests } from "./screens/_test-form.ts";
import { auditExport, auditScreen } from "./screens/audit.ts";
import { backtestAct, backtestScreen, idleScreen, rulesTrialAct } from "./screens/backtest.ts";
import { bulkAct, bulkScreen } from "./screens/bulk.ts";
import { bulkAllAct, bulkAllScreen } from "./screens/bulk-all.ts";
import { checkupScreen } from "./screens/checkup.ts";
import { deliveriesScreen } from "./screens/deliveries.ts";
import { deliveryAct, deliveryScreen } from "./screens/delivery.ts";
import { columnsScreen, exportScreen } from "./screens/export.ts";
import { fileContent, fileScreen, filesZip } from "./screens/files.ts";
import { formsScreen } from "./screens/forms.ts";
import { installAct, installScreen } from "./screens/install.ts";
import { itemAct, itemScreen } from "./screens/item.ts";
import { allScreen, listScreen } from "./screens/list.ts";
import { pendingScreen } from "./screens/pending.ts";
import { peopleAct, peopleScreen } from "./screens/people.ts";
import { pollScreen } from "./screens/poll.ts";
import { type PreviewKind, previewScreen, previews } from "./screens/preview.ts";
import { recoverAct, recoverScreen } from "./screens/recover.ts";
import { replyAct, savedText } from "./screens/reply.ts";
import { ruleAct, ruleScreen } from "./screens/rule.ts";
import { settingsAct, settingsScreen } from "./screens/settings.ts";
import { shortcutsAct, shortcutsScreen } from "./screens/shortcuts.ts";
import { statsScreen } from "./screens/stats.ts";
import { testAct } from "./screens/test-email.ts";
import { viewsAct } from "./screens/views.ts";
import { webhookAct, webhookRotate, webhookScreen, webhookTest } from "./screens/webhook.ts";
import { webhookNewScreen, webhooksAct } from "./screens/webhook-new.ts";
import { webhooksScreen } from "./screens/webhooks.ts";
import { sections } from "./settings/leaves.ts";
import { operatorRows } from "./table-operator.ts";
import { teamRows } from "./table-team.ts";
import type { MemberRequest } from "./visit.ts";

const logs: readonly Scope[] = ["forms:read", "submissions:read"];
const changes: readonly Scope[] = ["forms:read", "forms:write"];

const operations = (part: string, all: readonly Omit<InboxRow, "part">[]): InboxRow[] =>
  all.map((row) => ({ ...row, path: `/f/:form_id/${part}${row.path}`, part }));

/** Every page of the inbox. */
export const rows: readonly InboxRow[] = [
  ...operations("deliveries", [
    { method: "GET", path: "", needs: logs, show: deliveriesScreen },
    { method: "GET", path: "/recover", needs: [...logs, "forms:write"], show: recoverScreen },
    { method: "POST", path: "/recover", needs: [...logs, "forms:write"], show: recoverAct },
    { method: "GET", path: "/:job_id", needs: logs, show: deliveryScreen },
    { method: "POST", path: "/:job_id", needs: [...logs, "forms:write"], show: deliveryAct },
  ]),
  ...operations("webhooks", [
    { method: "GET", path: "", needs: ["forms:read"], show: (visit) => webhooksScreen(visit) },
    { method: "POST", path: "", needs: changes, show: webhooksAct },
    { method: "GET", path: "/new", needs: changes, show: (visit) => webhookNewScreen(visit) },
    { method: "GET", path: "/:webhook_id", needs: ["forms:read"], show: (visit) => webhookScreen(visit) },
    { method: "POST", path: "/:webhook_id", needs: changes, show: webhookAct },
    // A page that a POST has answered may be reloaded: its address shows the webhook.
    { method: "GET", path: "/:webhook_id/test", needs: ["forms:read"], show: (visit) => webhookScreen(visit) },
    { method: "POST", path: "/:webhook_id/test", needs: changes, show: webhookTest },
    { method: "GET", path: "/:webhook_id/rotate", needs: ["forms:read"], show: (visit) => webhookScreen(visit) },
    { method: "POST", path: "/:webhook_id/rotate", needs: changes, show: webhookRotate },
  ]),
  ...operations("settings", [
    { method: "GET", path: "", needs: ["forms:read"], show: (visit) => settingsScreen(visit, "general") },
    ...sections.flatMap((section): Omit<InboxRow, "part">[] => [
      { method: "GET", path: `/${section}`, needs: ["forms:read"], show: (visit) => settingsScreen(visit, section) },
      { method: "POST", path: `/${section}`, needs: changes, show: (visit) => settingsAct(visit, section) },
    ]),
    ...tests.map((section): Omit<InboxRow, "part"> => {
      const show = (visit: MemberRequest): Promise<Response> => testAct(visit, section);
      return { method: "POST", path: `/${section}/test`, needs: changes, show };
    }),
  ]),
  ...operations("settings", [
    { method: "GET", path: "/validation/backtest", needs: logs, show: idleScreen },
    { method: "POST", path: "/validation/backtest", needs: [...logs, "forms:write"], show: rulesTrialAct },
  ]),
  ...operations("spam", [
    { method: "GET", path: "/backtest", needs: logs, show: backtestScreen },
    { method: "POST", path: "/backtest", needs: [...logs, "submissions:write"], show: backtestAct },
  ]),
  ...operations(
    "preview",
    (Object.keys(previews) as PreviewKind[]).flatMap((kind): Omit<InboxRow, "part">[] => {
      const row = {
        path: `/${kind}`,
        needs: [...logs, "forms:write"],
        show: (visit: MemberRequest) => previewScreen(visit, kind),
      } as const;
      return [
        { method: "GET", ...row },
        { method: "POST", ...row },
      ];
    }),
  ),
  { method: "GET", path: "/", needs: ["forms:read"], show: formsScreen },
  { method: "GET", path: "/all", part: "all", needs: ["submissions:read"], show: allScreen },
  {
    method: "GET",
    path: "/all/bulk",
    part: "bulk",
    needs: ["submissions:read", "submissions:write"],
    show: bulkAllScreen,
  },
  {
    method: "POST",
    path: "/all/bulk",
    part: "bulk",
    needs: ["submissions:read", "submissions:write"],
    show: bulkAllAct,
  },
  ...teamRows,
  ...operatorRows,
  { method: "GET", path: "/people", part: "people", needs: logs, show: (visit) => peopleScreen(visit) },
  { method: "POST", path: "/people", part: "people", needs: logs, show: peopleAct },
  { method: "GET", path: "/audit", part: "audit", needs: [], admin: true, whole: true, show: auditScreen },
  { method: "GET", path: "/audit/export", part: "audit", needs: [], admin: true, whole: true, show: auditExport },
  { method: "POST", path: "/views", part: "views", needs: ["submissions:read"], show: viewsAct },
  { method: "GET", path: "/poll", needs: ["submissions:read"], show: pollScreen },
  { method: "GET", path: "/shortcuts", part: "shortcuts", needs: [], show: shortcutsScreen },
  { method: "POST", path: "/shortcuts", part: "shortcuts", needs: [], show: shortcutsAct },
  { method: "GET", path: "/f/:form_id", needs: ["forms:read", "submissions:read"], show: listScreen },
  {
    method: "GET",
    path: "/f/:form_id/bulk",
    part: "bulk",
    needs: ["forms:read", "submissions:read", "submissions:write"],
    show: bulkScreen,
  },
  {
    method: "POST",
    path: "/f/:form_id/bulk",
    part: "bulk",
    needs: ["forms:read", "submissions:read", "submissions:write"],
    show: bulkAct,
  },
  {
    method: "GET",
    path: "/f/:form_id/export",
    part: "export",
    needs: ["forms:read", "submissions:read"],
    right: "export",
    show: exportScreen,
  },
  {
    method: "GET",
    path: "/f/:form_id/export/columns",
    part: "export",
    needs: ["forms:read", "submissions:read"],
    right: "export",
    show: columnsScreen,
  },
  { method: "GET", path: "/f/:form_id/pending/:pending_id", needs: logs, show: pendingScreen },
  { method: "GET", path: "/f/:form_id/stats", part: "stats", needs: logs, show: statsScreen },
  { method: "GET", path: "/f/:form_id/stats/checkup", part: "stats", needs: logs, show: checkupScreen },
  { method: "GET", path: "/f/:form_id/install", part: "install", needs: ["forms:read"], show: installScreen },
  { method: "POST", path: "/f/:form_id/install", part: "install", needs: changes, show: installAct },
  {
    method: "GET",
    path: "/f/:form_id/s/:submission_id",
    needs: ["forms:read", "submissions:read"],
    show: (visit) => itemScreen(visit),
  },
  ...(
    [
      ["files", filesZip],
      ["files/:file_id", fileScreen],
      ["content/:file_id", fileContent],
    ] as const
  ).map(
    ([path, show]): InboxRow => ({
      method: "GET",
      path: `/f/:form_id/s/:submission_id/${path}`,
      needs: ["forms:read", "submissions:read"],
      show,
    }),
  ),
  {
    method: "POST",
    path: "/f/:form_id/s/:submission_id/reply",
    needs: ["forms:read", "submissions:read", "submissions:write"],
    show: replyAct,
  },
  {
    method: "GET",
    path: "/f/:form_id/s/:submission_id/rule",
    needs: ["forms:read", "submissions:read"],
    right: "rules",
    show: (visit) => ruleScreen(visit),
  },
  {
    method: "POST",
    path: "/f/:form_id/s/:submission_id/rule",
    needs: ["forms:read", "submissions:read"],
    right: "rules",
    show: ruleAct,
  },
  {
    method: "GET",
    path: "/f/:form_id/s/:submission_id/saved/:reply_id",
    needs: ["forms:read", "submissions:read", "submissions:write"],
    show: savedText,
  },
  {
    method: "POST",
    path: "/f/:form_id/s/:submission_id",
    needs: ["submissions:read", "submissions:write"],
    show: itemAct,
  },
];
