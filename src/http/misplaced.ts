import type { Core } from "../core.ts";
import type { Zone } from "./serve.ts";

/**
 * Says once that one of our addresses was asked for under another prefix than `baseUrl` has, which is the sign of a wrong
 * mount path. Call it with the path of every request that found no address.
 */
export function misplacedWarning({ options }: Core, zones: readonly Zone[]): (pathname: string) => void {
  const first = new Set(zones.flatMap(({ routes }) => routes.map(({ path }) => path.split("/")[1])));
  const bases = zones.map(({ basePath }) => basePath).filter((path) => path !== "");
  let warned = false;
  return (pathname) => {
    if (warned || bases.some((base) => `${pathname}/`.startsWith(`${base}/`))) return;
    const [, head, ...rest] = pathname.split("/");
    // Scanners ask for anything; only what would be an address of ours elsewhere says something about the mount path.
    if (first.has(head) || !rest.some((segment) => first.has(segment))) return;
    warned = true;
    options.logger.warn(
      `a request for "${pathname}" reached the form backend, which answers under "${options.basePath || "/"}" because ` +
        `\`baseUrl\` is "${options.baseUrl}"; mount it there, or put the path where it is mounted into \`baseUrl\``,
    );
  };
}
