import type { ImportedContent, ImportedMessage, ImportedNote, ImportRow } from "../../model/import.ts";

type Plain = Readonly<Record<string, unknown>>;

interface Attachment extends Plain {
  readonly key: string;
  readonly name: string;
  readonly mime_type: string;
  readonly path?: unknown;
}

/** Work, notes, messages, consent, trash times and files under `folder` of a line in a team's export. */
export function keptOf(line: object, folder: string | undefined): Partial<ImportRow> {
  const { read_by, work, notes, messages, attachments, consent, trash, pending } = line as Plain;
  const contents = new Map<string, ImportedContent>();
  // A file of a message may be one of the submission's: each path has one content, by which the import knows it.
  const contentOf = (path: string): ImportedContent => {
    const known = contents.get(path) ?? (() => bytesOf(folder as string, path));
    contents.set(path, known);
    return known;
  };
  const filesOf = (list: unknown) =>
    folder === undefined || !Array.isArray(list)
      ? []
      : (list as Attachment[]).flatMap(({ key, name, mime_type, path }) =>
          typeof path === "string" ? [{ key, name, mime_type, content: contentOf(path) }] : [],
        );
  const files = filesOf(attachments);
  return {
    ...(Array.isArray(read_by) && read_by.length > 0 && { read_by }),
    ...(isObject(work) && { work: without(work, "notes") }),
    ...(Array.isArray(notes) && { notes: notes.map((note) => without(note, "id")) as unknown as ImportedNote[] }),
    ...(Array.isArray(messages) && {
      messages: messages.map((message: unknown) => ({
        ...without(message, "id", "submission_id", "form_id"),
        attachments: filesOf(Object(message).attachments).map(({ key: _, ...file }) => file),
      })) as unknown as ImportedMessage[],
    }),
    ...(files.length > 0 && { files }),
    ...(isObject(consent) && { consent: consent as unknown as ImportRow["consent"] }),
    ...(isObject(trash) && { trash: trash as unknown as ImportRow["trash"] }),
    ...(pending === true && { pending }),
  };
}

const isObject = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const without = (value: unknown, ...names: readonly string[]): Plain =>
  Object.fromEntries(Object.entries(Object(value)).filter(([name]) => !names.includes(name)));

/** Leads to no other folder. */
const PATH = /^files\/[\w-]+\/(?!\.\.?$)[^/\\\0]+$/;

async function* bytesOf(folder: string, path: string): AsyncGenerator<Uint8Array> {
  if (!PATH.test(path)) throw new Error("its path must be files/, an id and a name");
  const [{ createReadStream }, { join }] = await Promise.all([import("node:fs"), import("node:path")]);
  yield* createReadStream(join(folder, path));
}
