// Writes dist/AGENTS.md, what an agent needs to know, and dist/openapi.json, the document of a backend mounted anywhere, on one line: indentation is half of it. Runs after tsup.
import { copyFileSync, writeFileSync } from "node:fs";
import { createFormBackend, memoryStorage } from "../dist/index.js";

const example = "https://app.example.com/forms";
const backend = createFormBackend({
  baseUrl: example,
  secret: "of no importance, for nothing is stored",
  storage: memoryStorage(),
  work: false,
});
// Until then, openapi() reads the file that is written here.
await backend.ready();
const server = {
  url: "{base_url}",
  variables: { base_url: { default: example, description: "The option `baseUrl`." } },
};
const document = { ...backend.openapi(), servers: [server] };
await backend.close();
writeFileSync(new URL("../dist/openapi.json", import.meta.url), `${JSON.stringify(document)}\n`);
copyFileSync(new URL("../docs/guide/for-agents.md", import.meta.url), new URL("../dist/AGENTS.md", import.meta.url));
