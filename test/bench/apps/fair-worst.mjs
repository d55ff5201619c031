// The team at its worst: sends all it can from its `start` to its `stop`, and says what it was told.
import { constants, setPriority } from "node:os";
import { attacks } from "../worst.mjs";
import { report } from "./report.mjs";

// An attacker has a machine of its own: this process may not take the cores from the app and its database.
setPriority(constants.priority.PRIORITY_LOW);
const AT_ONCE = 4;
let over = true;
let running = [];
let seen = {};

async function send(name, attack) {
  while (!over) {
    const what = await attack().then(
      (status) => `${name} ${status}`,
      (error) => `${name} ${error.cause?.code ?? error.message}`,
    );
    seen[what] = (seen[what] ?? 0) + 1;
  }
}

report(
  {},
  {
    begin(base, worst, only) {
      over = false;
      seen = {};
      const kinds = Object.entries(attacks(base, worst)).filter(([name]) => !only || only.includes(name));
      running = kinds.flatMap(([name, attack]) => Array.from({ length: AT_ONCE }, () => send(name, attack)));
    },
    async end() {
      over = true;
      await Promise.all(running);
      return seen;
    },
  },
);
