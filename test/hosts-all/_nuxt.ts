import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../_support/install.ts";
import type { App } from "./_apps.ts";

/** The example of the page about Nuxt, as it is written there, with a mail server. */
export function nuxt(): App {
  const page = readFileSync(join(ROOT, "docs/hosts/nuxt.md"), "utf8");
  const files: Record<string, string> = {};
  for (const [, file = "", text = ""] of page.matchAll(/^```\w+ \[([\w./-]+)\]\n([\s\S]*?)^```$/gm))
    files[file] ??= text;
  const { "server/form-backend.ts": own = "" } = files;
  return {
    dependencies: { nuxt: "4.4.5", "@types/node": "20.19.43", typescript: "5.9.3", "vue-tsc": "3.3.14" },
    files: {
      ...files,
      "server/form-backend.ts": `import { smtpMailer } from "form-backend/drivers/mailer/smtp";\n${own.replace(
        "  storage:",
        '  mailer: smtpMailer(process.env.SMTP_URL ?? "smtp://127.0.0.1:1025"),\n  storage:',
      )}`,
      "tsconfig.json": JSON.stringify({
        files: [],
        references: ["app", "server", "shared", "node"].map((part) => ({ path: `./.nuxt/tsconfig.${part}.json` })),
      }),
    },
    check: [["nuxt/bin/nuxt.mjs", "typecheck"]],
    build: [["nuxt/bin/nuxt.mjs", "build"]],
    start: [".output/server/index.mjs"],
    shown: ["server/api/contact-form.get.ts", "app/app.vue"],
    sealed: true,
    env: { NUXT_TELEMETRY_DISABLED: "1", HOST: "127.0.0.1" },
  };
}
