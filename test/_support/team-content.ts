interface Exported {
  readonly path: string;
}
type Line = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly attachments: readonly Exported[];
  readonly notes?: readonly object[];
  readonly messages?: readonly { readonly status: string; readonly attachments: readonly Exported[] }[];
};

/** The submissions of a form in an unpacked export of a team. */
export function* exportedLines(files: Readonly<Record<string, Uint8Array>>, form: string): Generator<string> {
  const bytes = Buffer.from(files[`submissions/${form}.ndjson`] ?? new Uint8Array());
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    yield bytes.toString("utf8", from, end);
    from = end + 1;
  }
}

/**
 * An exported submission with the bytes of its files, and without what an import makes anew: ids, and what the plan and the spam check
 * said then. An answer that had not been sent is not sent by the import either, which says so.
 */
export function contentOf(line: string, files: Readonly<Record<string, Uint8Array>>): Line {
  const withBytes = (list: readonly Exported[]) =>
    list.map(({ path, ...file }) => ({
      ...file,
      path: "",
      bytes: Buffer.from(files[path] ?? new Uint8Array()).toString("latin1"),
    }));
  const { form_id: _, over_quota: __, verdict: ___, ...rest } = JSON.parse(line) as Line;
  const one = rest as Line;
  return {
    ...one,
    attachments: withBytes(one.attachments),
    ...(one.notes && { notes: one.notes.map((note) => ({ ...note, id: null })) }),
    ...(one.messages && {
      messages: one.messages.map(({ status, attachments, ...message }) => ({
        ...message,
        id: null,
        status: status === "queued" ? "skipped" : status,
        attachments: withBytes(attachments),
      })),
    }),
  };
}
