import { ApiError } from "../../errors.ts";
import type { Submission } from "../../model/submissions.ts";
import { type AgentSubmission, agentSubmission } from "./answers.ts";
import { cursorTo, placeOf } from "./cursors.ts";
import { fieldsFrom, windowOf } from "./cut.ts";
import { limitOf } from "./definition.ts";
import { exported, type Format, formats } from "./export.ts";
import { TOO_LONG } from "./operations.ts";
import type { Arguments, Tool } from "./tool.ts";
import { visibleIn } from "./visible.ts";
import { countThatFits, fits, weightOf } from "./weight.ts";

/** Calls the tool's row with input. */
export type Ask = (input: Arguments) => Promise<object>;

interface Page {
  readonly data: readonly object[];
  readonly has_more: boolean;
  readonly next_cursor?: string | null;
}

/** The answer of a tool, cut to the length of one result. Throws `invalid_parameter`, and what `ask` throws. */
export async function answerOf(tool: Tool, args: Arguments, ask: Ask): Promise<object> {
  const show = (result: object): object => tidy(tool.show ? tool.show(result as never) : result);
  switch (tool.paging) {
    case "cursor":
    case "before":
      return pageOf(tool, args, async (input) => {
        const page = await ask(input);
        return page === TOO_LONG ? null : (show(page) as Page);
      });
    case "export":
      return exportOf(tool, args, async (input) => {
        const page = await ask(input);
        return page === TOO_LONG ? null : (page as Page & { data: Submission[] });
      });
    case "slice":
      return sliceOf(tool, args, show(await ask(without(args, "cursor", "limit"))) as Page);
    case "fields":
      return partOf(tool, args, show(await ask(without(args, "cursor"))) as AgentSubmission);
    default:
      return windowIn(tool, args, show(await ask(without(args, tool.paging ? "cursor" : ""))));
  }
}

/** With every text of visitors made visible. */
function tidy(answer: object): object {
  if (Array.isArray(answer)) return answer.map((entry) => (isObject(entry) ? tidy(entry) : entry));
  return Object.fromEntries(
    Object.entries(answer).map(([name, member]) => {
      if (name === "untrusted") return [name, visibleIn(member)];
      return [name, isObject(member) ? tidy(member) : member];
    }),
  );
}
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const without = (args: Arguments, ...names: string[]): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));

function limitIn(tool: Tool, { limit }: Arguments): number {
  const range = limitOf(tool);
  if (!range) return Number.POSITIVE_INFINITY;
  const asked = limit ?? range.usual;
  if (typeof asked === "number" && Number.isInteger(asked) && asked >= 1 && asked <= range.most) return asked;
  throw new ApiError("invalid_parameter", {
    param: "limit",
    message: `\`limit\` must be a whole number from 1 to ${range.most}.`,
  });
}

/** A page of the row with as many entries as fit; the cursor of a shorter one leads to the next entry. */
async function pageOf(tool: Tool, args: Arguments, ask: (input: Arguments) => Promise<Page | null>): Promise<object> {
  for (let limit = limitIn(tool, args); ; ) {
    const page = await ask({ ...args, limit });
    if (!page) {
      limit = Math.max(1, Math.floor(limit / 4));
      continue;
    }
    if (fits(page)) return page;
    const { data, ...rest } = page;
    if (data.length === 1) return { ...rest, data: data.map(shortened) };
    limit = Math.max(1, Math.min(data.length - 1, countThatFits(data, weightOf(rest))));
  }
}

/** An entry that alone is too long. */
function shortened(entry: object): object {
  if (!("untrusted" in entry)) return windowOf(entry, [0, 0]).value;
  const { fields, cut } = firstOf(entry as AgentSubmission);
  const { untrusted } = entry as AgentSubmission;
  return { ...entry, untrusted: { ...untrusted, fields }, ...(cut && { cut }) };
}

function firstOf(entry: AgentSubmission) {
  const { fields, next } = fieldsFrom(entry.untrusted.fields, [0, 0], bare(entry));
  return { fields, cut: next ? (true as const) : undefined };
}

/** Bytes of a submission without its values. */
const bare = (entry: AgentSubmission): number => weightOf({ ...entry, untrusted: { ...entry.untrusted, fields: [] } });

/** A submission, from the place of the cursor on. */
function partOf(tool: Tool, args: Arguments, submission: AgentSubmission): object {
  const place = placeOf(tool, args);
  const { untrusted } = submission;
  const { fields, next } = fieldsFrom(untrusted.fields, place, bare(submission));
  return {
    ...submission,
    untrusted: { ...untrusted, fields },
    ...(next && { cut: true, next_cursor: cursorTo(tool, args, next) }),
  };
}

/** A part of a list that the row answers as a whole. */
function sliceOf(tool: Tool, args: Arguments, { data, ...rest }: Page): object {
  const [from] = placeOf(tool, args);
  const asked = data.slice(from, from + limitIn(tool, args));
  const taken = asked.slice(0, Math.max(1, countThatFits(asked, weightOf(rest))));
  const to = from + taken.length;
  const has_more = to < data.length;
  return { ...rest, data: taken, has_more, next_cursor: has_more ? cursorTo(tool, args, [to, 0]) : null };
}

/** One object; its long texts and lists in parts, if it is too long. */
function windowIn(tool: Tool, args: Arguments, answer: object): object {
  const place = tool.paging ? placeOf(tool, args) : ([0, 0] as const);
  if (place[1] === 0 && fits(answer)) return answer;
  const { value, cut, size } = windowOf(answer, place);
  if (cut.length === 0) return value;
  return { ...value, cut, ...(tool.paging && { next_cursor: cursorTo(tool, args, [place[0] + 1, size]) }) };
}

async function exportOf(
  tool: Tool,
  { format = "csv", ...args }: Arguments,
  ask: (input: Arguments) => Promise<(Page & { data: Submission[] }) | null>,
): Promise<object> {
  if (!formats.includes(format as Format)) {
    throw new ApiError("invalid_parameter", {
      param: "format",
      message: `\`format\` must be one of ${formats.join(", ")}.`,
    });
  }
  for (let limit = limitIn(tool, args); ; ) {
    const page = await ask({ ...args, limit });
    if (!page) {
      limit = Math.max(1, Math.floor(limit / 4));
      continue;
    }
    const { data, has_more, next_cursor = null } = page;
    const answer = (rows: readonly Submission[]) => {
      const content = exported(visibleIn(rows), format as Format);
      return { form_id: args["form_id"], format, rows: rows.length, has_more, next_cursor, untrusted: { content } };
    };
    const whole = answer(data);
    if (fits(whole)) return whole;
    if (data.length === 1) {
      const { fields } = firstOf(agentSubmission(data[0] as Submission));
      // Quotes inside quotes weigh more, so that half of it is sure to fit.
      const half = fields.map(({ key, value }) => ({ key, value: value.slice(0, Math.ceil(value.length / 2)) }));
      return { ...answer([{ ...(data[0] as Submission), fields: half }]), cut: ["untrusted.content"] };
    }
    limit = Math.max(1, Math.floor(data.length * 0.9 * (30_000 / weightOf(whole))));
    limit = Math.min(limit, data.length - 1);
  }
}
