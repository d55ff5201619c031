/** What a sentence says apart from its numbers and ids: a smaller setting breaks the same promise with others. */
const kindOf = (violation) => violation.split("\n")[0].replace(/[\w-]*\d[\w-]*/g, "#");

/**
 * Makes the setting of a broken seed smaller while it breaks the same promise: no faults of a kind, no such part of life, fewer processes, visitors and
 * acts. Answers the last result that did, with its history, and the members that were changed, of which `given` are the first.
 */
export async function shrunk({ runSeed, kindsOfFaults, partsOfLife }, broken, given = {}) {
  const kinds = new Set(broken.violations.map(kindOf));
  let changed = given;
  let best = broken;
  const attempt = async (next) => {
    const result = await runSeed(broken.seed, next, true);
    if (!result.violations.some((violation) => kinds.has(kindOf(violation)))) return false;
    changed = next;
    best = result;
    return true;
  };
  await attempt(given);
  for (const kind of kindsOfFaults) {
    if (best.setting.faults[kind] > 0) await attempt({ ...changed, faults: { ...changed.faults, [kind]: 0 } });
  }
  for (const part of partsOfLife) {
    if (best.setting.parts[part]) await attempt({ ...changed, parts: { ...changed.parts, [part]: false } });
  }
  for (const [member, least] of [
    ["processes", 1],
    ["acts", 0],
    ["visitors", 1],
  ]) {
    for (let step = best.setting[member] - least; step >= 1; ) {
      const value = best.setting[member] - step;
      if (value < least || !(await attempt({ ...changed, [member]: value }))) step = Math.floor(step / 2);
    }
  }
  return { result: best, left: changed };
}
