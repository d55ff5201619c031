import { defineConfig } from "vitepress";
import { extend } from "./markdown.ts";

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: "form-backend",
  description: "A form backend that lives in the Node app you already run.",
  lang: "en",
  cleanUrls: true,
  ignoreDeadLinks: "localhostLinks",
  rewrites: { ":folder/README.md": ":folder/index.md" },
  // The defaults have colours that are too pale on the grey of a block.
  markdown: { config: extend, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  head: [["link", { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" }]],
  srcExclude: ["node_modules/**"],
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    footer: { message: "MIT license" },
    nav: [
      page("Guide", "/guide/first-form"),
      page("Recipes", "/recipes/"),
      page("API", "/api/"),
      page("Reference", "/reference/options"),
      page("Operations", "/guide/production"),
    ],
    sidebar: [
      {
        text: "Guide",
        items: [
          page("Your first form", "/guide/first-form"),
          page("Email", "/guide/email"),
          page("Spam", "/guide/spam"),
          page("Files", "/files"),
          page("Validation", "/guide/validation"),
          page("Thank-you pages", "/guide/pages"),
          page("In the browser", "/browser"),
          page("Webhooks", "/webhooks"),
          page("OAuth and credentials", "/guide/oauth"),
          page("Teams and plans", "/guide/teams-and-plans"),
          page("White-labelling", "/guide/white-label"),
          page("Privacy", "/guide/privacy"),
          page("Testing your forms", "/guide/testing"),
          page("Going to production", "/guide/production"),
        ],
      },
      {
        text: "Hosts",
        collapsed: true,
        items: ["Express", "Koa", "Fastify", "Hono", "Nuxt", "Nitro", "Node", "Fetch"].map((name) =>
          page(name === "Fetch" ? "Anything with fetch" : name, `/hosts/${name.toLowerCase()}`),
        ),
      },
      {
        text: "Drivers",
        collapsed: true,
        items: [
          page("Which one", "/drivers/"),
          page("SQLite", "/drivers/sqlite"),
          page("PostgreSQL", "/drivers/postgres"),
          page("unstorage", "/drivers/unstorage"),
          page("S3", "/drivers/s3"),
          page("Queues", "/drivers/queues"),
          page("Rate limits", "/drivers/rate-limits"),
          page("Mailers", "/drivers/mailers"),
        ],
      },
      {
        text: "Recipes",
        collapsed: true,
        items: [
          page("All recipes", "/recipes/"),
          page("Slack", "/recipes/slack"),
          page("A CRM", "/recipes/crm"),
          page("Receive webhooks", "/recipes/receiver"),
          page("React and Vue", "/recipes/react-vue"),
          page("Several steps", "/recipes/multi-step"),
          page("A newsletter", "/recipes/newsletter"),
          page("Export to a file", "/recipes/export"),
          page("Cron and serverless", "/recipes/cron"),
        ],
      },
      {
        text: "Reference",
        collapsed: true,
        items: [
          page("Options", "/reference/options"),
          page("In process", "/reference/in-process"),
          page("Events", "/reference/events"),
          page("Errors", "/reference/errors"),
          page("Entries and types", "/reference/exports"),
        ],
      },
      {
        text: "Management API",
        collapsed: true,
        items: [
          page("Overview", "/api/"),
          page("Authentication", "/api/authentication"),
          page("Errors", "/api/errors"),
          page("Forms", "/api/forms"),
          page("Recipients", "/api/recipients"),
          page("Images", "/api/images"),
          page("Fields", "/api/fields"),
          page("Submissions", "/api/submissions"),
          page("Webhooks", "/api/webhooks"),
          page("Deliveries", "/api/deliveries"),
          page("Data subjects", "/api/data-subjects"),
          page("Service", "/api/service"),
          page("Client", "/api/client"),
          page("Legacy API", "/api/legacy"),
        ],
      },
      {
        text: "Operations",
        collapsed: true,
        items: [
          page("What to watch", "/operations/metrics"),
          page("Backups", "/operations/backups"),
          page("Upgrades", "/operations/upgrades"),
          page("Sizing", "/operations/sizing"),
          page("Benchmarks", "/operations/benchmarks"),
          page("Several machines", "/operations/many-machines"),
        ],
      },
      {
        text: "More",
        collapsed: true,
        items: [
          page("Security", "/security"),
          page("Design notes", "/design"),
          page("From Formcarry", "/migrate/formcarry"),
          page("From Formspree", "/migrate/formspree"),
        ],
      },
    ],
  },
});
