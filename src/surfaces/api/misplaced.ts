import type { Core } from "../../core/core.ts";
import type { Zone } from "./zone.ts";

/**
 * Logs once that a request used one of our paths under another prefix than that of `baseUrl`, the sign of a wrong mount path.
 * Call it with the path of every unknown address. Outside production it returns the sentence for the developer who looks at the
 * page, otherwise undefined.
 */
export function misplacedWarning({ options }: Core, zones: readonly Zone[]): (pathname: string) => string | undefined {
  const first = new Set(zones.flatMap(({ routes }) => routes.map(({ path }) => path.split("/")[1])));
  const bases = zones.map(({ basePath }) => basePath).filter((path) => path !== "");
  let warned = false;
  return (pathname) => {
    if (bases.some((base) => `${pathname}/`.startsWith(`${base}/`))) return;
    const [, head, ...rest] = pathname.split("/");
    // Scanners request anything. Only a path that would be valid elsewhere points to a wrong mount path.
    if (first.has(head) || !rest.some((segment) => first.has(segment))) return;
    const sentence =
      `a request for "${pathname}" reached the form backend, which responds under "${options.basePath || "/"}" because ` +
      `\`baseUrl\` is "${options.baseUrl}"; mount it there, or put the path where it is mounted into \`baseUrl\``;
    if (!warned) options.logger.warn(sentence);
    warned = true;
    return process.env["NODE_ENV"] === "production" ? undefined : sentence;
  };
}
