const MB = 1024 * 1024;

/** A kind of file that a page may show, and the most bytes of one. */
interface Viewed {
  /** The type that it is sent as: never one that a browser runs. */
  readonly sent: string;
  readonly most: number;
}

const picture = (type: string): Viewed => ({ sent: `image/${type}`, most: 25 * MB });
const text: Viewed = { sent: "text/plain; charset=utf-8", most: MB };

/** By the type that the bytes have. No markup: not even as text would it be of use. */
const viewed: Readonly<Record<string, Viewed>> = {
  "image/png": picture("png"),
  "image/jpeg": picture("jpeg"),
  "image/gif": picture("gif"),
  "image/webp": picture("webp"),
  "image/avif": picture("avif"),
  "application/pdf": { sent: "application/pdf", most: 25 * MB },
  "text/plain": text,
  "text/csv": text,
  "text/tab-separated-values": text,
  "text/markdown": text,
  "text/calendar": text,
  "text/vcard": text,
  "application/json": text,
};

/** The type under which a file is shown; null for one that is only downloaded. */
export function viewedAs({ mime_type, size }: { readonly mime_type: string; readonly size: number }): string | null {
  const found = Object.hasOwn(viewed, mime_type) ? viewed[mime_type] : undefined;
  return found && size <= found.most ? found.sent : null;
}
