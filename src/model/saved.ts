import { z } from "zod";
import { fixed, strict } from "../lib/input.ts";
import { block, dictionary, flag, moment, nullable, text } from "../lib/leaves.ts";

const ReplyName = z.string().trim().min(1).max(128);
const ReplyText = z.string().min(1).max(20_000);

/** A reply that a team keeps. */
export const SavedReply = z
  .object({
    /** The reply's id. */
    id: z.string(),
    /** A name for people. */
    name: z.string(),
    text: z.string().describe("The text, with tags as in mail templates, such as `{{name}}`."),
  })
  .meta({ id: "SavedReply" });
export type SavedReply = z.infer<typeof SavedReply>;

export const SavedReplyList = z
  .object({
    /** The replies of the team, by name. */
    data: z.array(SavedReply),
  })
  .meta({ id: "SavedReplyList" });
export type SavedReplyList = z.infer<typeof SavedReplyList>;

export const SavedReplyQuery = z.strictObject({
  team_id: z.string().max(64).optional().describe("The team, for a credential of several."),
});

export const SavedReplyCreate = z
  .strictObject({
    /** A name for people, at most 128 characters. */
    name: ReplyName,
    text: ReplyText.describe("At most 20,000 characters; tags as in mail templates."),
    team_id: z.string().max(64).optional().describe("The team, for a credential of several."),
  })
  .meta({ id: "SavedReplyCreate" });
export type SavedReplyCreate = z.input<typeof SavedReplyCreate>;

export const SavedReplyPatch = strict(
  {
    /** A name for people, at most 128 characters. */
    name: ReplyName,
    text: ReplyText.describe("At most 20,000 characters; tags as in mail templates."),
  },
  fixed("id"),
)
  .partial()
  .meta({ id: "SavedReplyPatch" });
export type SavedReplyPatch = z.input<typeof SavedReplyPatch>;

export const SavedReplyDeleted = z
  .object({
    /** The id of the deleted reply. */
    id: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "SavedReplyDeleted" });
export type SavedReplyDeleted = z.infer<typeof SavedReplyDeleted>;

/** A list of the inbox that somebody keeps. */
export interface SavedView {
  id: string;
  name: string;
  /** Null: the list over all forms. */
  form_id: string | null;
  /** The parameters of the list. */
  query: Record<string, string>;
  /** True for the whole team's. */
  shared: boolean;
  /** True for the person's own. */
  mine: boolean;
}

export const SavedViewCreate = z.strictObject({
  name: ReplyName,
  form_id: z.string().max(64).nullable(),
  query: z.record(z.string().max(300), z.string().max(1_000)).refine((query) => Object.keys(query).length <= 20, {
    message: "must have at most 20 parameters",
  }),
  shared: z.boolean(),
});
export type SavedViewCreate = z.output<typeof SavedViewCreate>;

/** A reply that a team keeps. */
export interface SavedReplyRecord {
  team_id: string;
  created_at: string;
  name: string;
  text: string;
}

/** Reads one from the store. */
export const savedReplyLeaf = block<SavedReplyRecord>({
  team_id: text(),
  created_at: moment(),
  name: text(""),
  text: text(""),
});

/** A list of the inbox that a person keeps, for the whole team if it is shared. */
export interface SavedViewRecord {
  team_id: string;
  created_at: string;
  name: string;
  /** Null: the list of all forms. */
  form_id: string | null;
  /** The parameters of the list. */
  query: Record<string, string>;
  shared: boolean;
  /** The id of the person. */
  user_id: string;
}

/** Reads one from the store. */
export const savedViewLeaf = block<SavedViewRecord>({
  team_id: text(),
  created_at: moment(),
  name: text(""),
  form_id: nullable(text()),
  query: dictionary(text("")),
  shared: flag(false),
  user_id: text(""),
});
