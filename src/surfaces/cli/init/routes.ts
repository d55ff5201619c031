import type { App } from "./detect.ts";

/** A new file, by its path from the app's folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The path of the backend's own file. */
export const moduleOf = ({ folder, typescript, host }: App): string =>
  // React Router keeps files with this end out of the browser.
  `${folder}form-backend${host === "react-router" ? ".server" : ""}.${typescript ? "ts" : "mjs"}`;

/** The files that a host takes for routes. */
export function routesOf(app: App): NewFile[] {
  const { host, typescript, folder, nitro } = app;
  const end = typescript ? "ts" : "js";
  const own = typescript ? "form-backend" : "form-backend.mjs";
  switch (host) {
    case "nitro":
      return [
        ...(nitro === 2 ? ["[...]", "index"] : ["[...]"]).map((name) => ({
          path: `${folder}routes/forms/${name}.ts`,
          text: nitroRoute,
        })),
        { path: `${folder}plugins/form-backend.ts`, text: nitroPlugin(nitro ?? 3) },
      ];
    case "next":
      return [
        {
          path: `${folder.replace(/lib\/$/, "")}app/forms/[...path]/route.${end}`,
          text: `import backend from "../../../lib/${own}";

const handle = (request${typescript ? ": Request" : ""}) => backend.fetch(request);

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT };
`,
        },
      ];
    case "sveltekit":
      return [
        {
          path: `src/routes/forms/[...path]/+server.${end}`,
          text: `${typescript ? 'import type { RequestHandler } from "@sveltejs/kit";\n' : ""}import backend from "$lib/${own}";

export const fallback${typescript ? ": RequestHandler" : ""} = ({ request, getClientAddress }) =>
  backend.handle(request, { ip: getClientAddress() });
`,
        },
      ];
    case "astro":
      return [
        {
          path: `src/pages/forms/[...path].${end}`,
          text: `${typescript ? 'import type { APIRoute } from "astro";\n' : ""}import backend from "../../${own}";

export const prerender = false;

export const ALL${typescript ? ": APIRoute" : ""} = ({ request, clientAddress }) => backend.handle(request, { ip: clientAddress });
`,
        },
      ];
    case "react-router":
      return [
        {
          path: `app/routes/forms.${end}`,
          text: `import backend from "../form-backend.server${typescript ? "" : ".mjs"}";

const handle = ({ request }${typescript ? ": { request: Request }" : ""}) => backend.fetch(request);

export { handle as action, handle as loader };
`,
        },
      ];
    default:
      return [];
  }
}

const nitroRoute = `import { formBackend } from "form-backend/nitro";
import backend from "../../form-backend";

export default formBackend(backend);
`;

const nitroPlugin = (
  version: 2 | 3,
): string => `import type { NitroApp } from "${version === 2 ? "nitropack" : "nitro/types"}";

// Starts the workers with the server, and ends them with it.
export default (nitro: NitroApp) => {
  const starting = import("../form-backend").then(async ({ default: backend }) => {
    await backend.ready();
    return backend;
  });
  starting.catch((error) => console.error(error));
  nitro.hooks.hook("close", async () => (await starting).close());
};
`;
