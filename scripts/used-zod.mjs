// Zod as one file of `dist`, with the members that the sources use. Zod itself is 95 files, half of them its languages, and takes longer to
// load than all of ours.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as zod from "zod";

const root = process.cwd();

/** Every member of `z` that a source names and that is more than a type. The namespace `core` is used for its types alone. */
function usedMembers() {
  const used = new Set();
  for (const folder of ["src", "adapters"]) {
    for (const file of readdirSync(join(root, folder), { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      for (const [, name] of readFileSync(join(root, folder, file), "utf8").matchAll(/\bz\.(\w+)/g)) used.add(name);
    }
  }
  return [...used].filter((name) => name in zod && name !== "core").sort();
}

/** Makes the file itself, where zod is the entry. */
export const makesZod = {
  name: "makes-zod",
  setup(build) {
    build.onResolve({ filter: /zod\/index\.js$/ }, ({ kind }) =>
      kind === "entry-point" ? { path: "used-zod", namespace: "used-zod" } : null,
    );
    build.onLoad({ filter: /.*/, namespace: "used-zod" }, () => {
      const names = usedMembers();
      // Reserved words are members as well, such as `enum`, so each gets a name of its own.
      const imports = names.map((name) => `${name} as z_${name}`).join(", ");
      const members = names.map((name) => `${name}: z_${name}`).join(", ");
      return { contents: `import { ${imports} } from "zod";\nexport const z = { ${members} };`, resolveDir: root };
    });
  },
};

/** Has a build import that file. */
export const importsZod = {
  name: "imports-zod",
  setup(build) {
    build.onResolve({ filter: /^zod$/ }, () => ({ path: "#zod", external: true }));
  },
};
