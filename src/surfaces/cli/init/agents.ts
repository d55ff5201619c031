import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "AGENTS.md";
const READ = "node_modules/form-backend/dist/AGENTS.md";
const LINE = `- Forms are served by form-backend, a library in this app. Read ${READ} before you add or change one.`;

/** What became of the file. */
type Told = "added" | "known" | "missing";

export const agentsSaid: Readonly<Record<Told, string>> = {
  added: `Added a line to ${FILE}.`,
  known: `${FILE} names form-backend already and is not changed.`,
  missing: `There is no ${FILE} here. Create one, and run this command again; nothing was changed.`,
};

/** Adds a line about the library to the project's instructions for agents, once. Never makes the file. */
export async function tellAgents(cwd: string): Promise<Told> {
  const file = join(cwd, FILE);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return "missing";
  if (text.includes(READ)) return "known";
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${LINE}\n`);
  return "added";
}
