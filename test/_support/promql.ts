/** A series at one moment. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples that were scraped at a time, in seconds. */
export interface Scrape {
  readonly at: number;
  readonly samples: readonly Sample[];
}

type Vector = readonly Sample[];
type Result = Vector | number;

/** Prometheus looks back this long for a value. */
const LOOKBACK = 300;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The samples of the text format of Prometheus; the name is the label `__name__`. Throws for a line that is none. */
export function parseText(text: string): Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] =
        /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)(?: \d+)?$/.exec(line) ?? [];
      if (name === "") throw new Error(`not a sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [key, text]);
      return { labels: { __name__: name, ...Object.fromEntries(pairs) }, value: numberOf(value) };
    });
}

const numberOf = (text: string): number => (text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text));

/**
 * Evaluates the part of PromQL that our dashboard and alerts use: selectors, `rate`, `sum`, `max`, `topk`, `histogram_quantile`, comparisons
 * with a number, `and` and `unless`. `rate` does not extrapolate to the ends of its range. Throws for anything else.
 */
export function evaluate(query: string, scrapes: readonly Scrape[], at: number): Vector {
  const tokens = [
    ...query.matchAll(/\s*([a-zA-Z_:][\w:]*|\d+(?:\.\d+)?[smhd]?|"(?:[^"\\]|\\.)*"|[=!]~|[!=><]=|[=><(){}[\],])/gy),
  ];
  const words = tokens.map(([, token = ""]) => token);
  if (tokens.map(([whole]) => whole).join("") !== query.trimEnd()) throw new Error(`can't read ${query}`);
  let next = 0;
  const take = (wanted?: string): string => {
    const word = words[next++];
    if (word === undefined || (wanted !== undefined && word !== wanted))
      throw new Error(`${wanted ?? "more"} expected in ${query} before ${word ?? "its end"}`);
    return word;
  };
  const has = (...wanted: string[]): boolean => wanted.includes(words[next] ?? "") && next++ >= 0;

  function whole(): Result {
    let left = compared();
    for (;;) {
      const isAnd = words[next] === "and";
      if (!has("and", "unless")) return left;
      const matching = new Set(vector(compared()).map(keyOf));
      left = vector(left).filter((sample) => matching.has(keyOf(sample)) === isAnd);
    }
  }

  function compared(): Result {
    const left = value();
    const sign = words[next] ?? "";
    if (!has(">", "<", "==", ">=", "<=", "!=")) return left;
    const limit = value();
    if (typeof limit !== "number") throw new Error(`a number expected in ${query}`);
    const holds: Readonly<Record<string, (n: number) => boolean>> = {
      ">": (n) => n > limit,
      "<": (n) => n < limit,
      "==": (n) => n === limit,
      ">=": (n) => n >= limit,
      "<=": (n) => n <= limit,
      "!=": (n) => n !== limit,
    };
    return vector(left).filter(({ value: n }) => holds[sign]?.(n));
  }

  function value(): Result {
    if (has("(")) {
      const inner = whole();
      take(")");
      return inner;
    }
    const word = words[next] ?? "";
    if (/^\d/.test(word)) return Number(take());
    if (has("sum", "max", "topk")) return aggregated(word);
    if (has("rate")) {
      take("(");
      const { matches, range } = selector();
      take(")");
      return rates(scrapes, matches, range, at);
    }
    if (has("histogram_quantile")) {
      take("(");
      const q = Number(take());
      take(",");
      const buckets = vector(whole());
      take(")");
      return quantiles(q, buckets);
    }
    return instant(scrapes, selector().matches, at);
  }

  function aggregated(how: string): Vector {
    const by: string[] = [];
    if (has("by")) {
      take("(");
      do by.push(take());
      while (has(","));
      take(")");
    }
    take("(");
    const most = how === "topk" ? Number(take()) : 0;
    if (how === "topk") take(",");
    const inner = vector(whole());
    take(")");
    if (how === "topk") return [...inner].sort((a, b) => b.value - a.value).slice(0, most);
    return grouped(inner, by, (values) => (how === "sum" ? values.reduce((a, b) => a + b, 0) : Math.max(...values)));
  }

  function selector(): { matches: (sample: Sample) => boolean; range: number } {
    const tests: ((labels: Sample["labels"]) => boolean)[] = [];
    if (words[next] !== "{") {
      const name = take();
      tests.push(({ __name__ }) => __name__ === name);
    }
    if (has("{")) {
      do {
        const [label, sign, text] = [take(), take(), JSON.parse(take()) as string];
        const pattern = new RegExp(`^(?:${text})$`);
        tests.push((labels) => {
          const found = labels[label] ?? "";
          return sign === "="
            ? found === text
            : sign === "!="
              ? found !== text
              : pattern.test(found) === (sign === "=~");
        });
      } while (has(","));
      take("}");
    }
    let range = 0;
    if (has("[")) {
      const [, n = "", unit = ""] = /^(\d+)([smhd])$/.exec(take()) ?? [];
      range = Number(n) * (UNITS[unit] ?? Number.NaN);
      take("]");
    }
    return { matches: ({ labels }) => tests.every((test) => test(labels)), range };
  }

  const result = vector(whole());
  if (next !== words.length) throw new Error(`too much in ${query}`);
  return result;
}

const vector = (result: Result): Vector => (typeof result === "number" ? [{ labels: {}, value: result }] : result);
const keyOf = ({ labels }: Sample): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => name !== "__name__")
      .sort(),
  );

function instant(scrapes: readonly Scrape[], matches: (sample: Sample) => boolean, at: number): Vector {
  const last = scrapes.findLast((scrape) => scrape.at <= at && scrape.at > at - LOOKBACK);
  return last?.samples.filter(matches) ?? [];
}

/** The rise of counters in a second; a counter that fell was started again. */
function rates(scrapes: readonly Scrape[], matches: (sample: Sample) => boolean, range: number, at: number): Vector {
  const points = new Map<string, { labels: Sample["labels"]; seen: { at: number; value: number }[] }>();
  for (const scrape of scrapes.filter((one) => one.at <= at && one.at > at - range)) {
    for (const sample of scrape.samples.filter(matches)) {
      const key = JSON.stringify(Object.entries(sample.labels).sort());
      const known = points.get(key) ?? { labels: sample.labels, seen: [] };
      known.seen.push({ at: scrape.at, value: sample.value });
      points.set(key, known);
    }
  }
  return [...points.values()].flatMap(({ labels: { __name__: _, ...labels }, seen }) => {
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last || first.at === last.at) return [];
    const rise = seen.slice(1).reduce((sum, { value }, n) => {
      const before = seen[n]?.value ?? 0;
      return sum + (value < before ? value : value - before);
    }, 0);
    return [{ labels, value: rise / (last.at - first.at) }];
  });
}

function grouped(inner: Vector, by: readonly string[], how: (values: number[]) => number): Vector {
  const groups = new Map<string, { labels: Sample["labels"]; values: number[] }>();
  for (const { labels, value } of inner) {
    const own = Object.fromEntries(by.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
    const key = JSON.stringify(own);
    const group = groups.get(key) ?? { labels: own, values: [] };
    group.values.push(value);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: how(values) }));
}

/** By straight lines between the bounds of buckets, as Prometheus does. */
function quantiles(q: number, inner: Vector): Vector {
  const buckets = inner
    .map(({ labels, value }) => ({ le: numberOf(labels["le"] ?? ""), value }))
    .sort((a, b) => a.le - b.le);
  const total = buckets.at(-1)?.value ?? 0;
  if (total === 0) return [];
  const rank = q * total;
  const at = buckets.findIndex(({ value }) => value >= rank);
  const [bucket, before] = [buckets[at], buckets[at - 1] ?? { le: 0, value: 0 }];
  if (!bucket) return [];
  if (bucket.le === Number.POSITIVE_INFINITY) return [{ labels: {}, value: before.le }];
  const part = (rank - before.value) / (bucket.value - before.value);
  return [{ labels: {}, value: before.le + (bucket.le - before.le) * part }];
}
