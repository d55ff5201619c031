// Says where the time of profiled apps went while they were under load: `PROFILE=/tmp/profiles npm run bench`, then `node test/bench/profile.mjs /tmp/profiles`.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const TOP = 25;
const root = process.argv[2];
if (!root) {
  console.error("node test/bench/profile.mjs <directory with .cpuprofile files>");
  process.exit(2);
}
for (const file of readdirSync(root, { recursive: true, encoding: "utf8" }).sort()) {
  if (file.endsWith(".cpuprofile")) print(join(root, file));
}

function print(file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const own = { owner: new Map(), function: new Map() };
  let busy = 0;
  for (const [i, id] of samples.entries()) {
    const frame = byId.get(id);
    if (frame.functionName === "(idle)") continue;
    busy += timeDeltas[i];
    add(own.owner, ownerOf(frame), timeDeltas[i]);
    add(
      own.function,
      `${frame.functionName || "(anonymous)"}  ${ownerOf(frame)}:${frame.lineNumber + 1}`,
      timeDeltas[i],
    );
  }
  console.log(`\n${relative(root, file)}: ${(busy / 1e6).toFixed(1)} s busy`);
  for (const sums of Object.values(own)) {
    console.log("");
    for (const [name, us] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, TOP)) {
      console.log(`${((100 * us) / busy).toFixed(1).padStart(6)} %  ${name}`);
    }
  }
}

function add(sums, name, value) {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

/** The package that a function belongs to. */
function ownerOf({ url, functionName }) {
  if (url === "") return functionName;
  if (url.startsWith("node:")) return url;
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return name ?? (url.includes("/dist/") ? "form-backend" : url.split("/").slice(-2).join("/"));
}
