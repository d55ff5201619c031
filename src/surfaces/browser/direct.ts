import type { UploadProgress } from "./answer.ts";

/** Tries without any progress, one after the other; a connection may be lost in between. */
const TRIES = 9;
const WAIT_MS = 2_000;
/** A connection on which nothing moves for so long is lost, whatever the browser thinks of it. */
const STILL_MS = 30_000;

/** Files that have arrived, so that a post which is sent again does not send them again. */
const arrived = new WeakMap<File, string>();

/**
 * Puts the files of a post into the store and names them instead, in the fields `_upload.<field>`. After a lost connection an upload
 * goes on with the parts that are missing. Where it is not possible, the files stay in the post, and its answer says what is wrong.
 */
export async function sendFiles(
  action: string,
  data: FormData,
  onProgress: ((progress: UploadProgress) => void) | undefined,
): Promise<FormData> {
  const rest = new FormData();
  const files: [string, File][] = [];
  let [total, before] = [0, 0];
  for (const [name, value] of data) {
    if (typeof value === "string") rest.append(name, value);
    else if (value.size) {
      files.push([name, value]);
      total += value.size;
    }
  }
  for (const [field, file] of files) {
    const tell = (loaded: number): void => onProgress?.({ loaded: before + loaded, total });
    let upload: string | undefined;
    for (let left = TRIES; !arrived.has(file); ) {
      try {
        const { name, size, type } = file;
        const body = JSON.stringify({ name, size, type, field, parts: true, upload });
        const headers = { "content-type": "application/json" };
        const response = await fetch(`${action}/uploads`, { method: "POST", headers, body });
        // To ask again would not help.
        if (!response.ok && response.status < 500 && response.status !== 429) return data;
        const prepared = (await response.json()) as Prepared;
        const { parts = [{ url: prepared.url, from: 0, size }] } = prepared;
        upload = prepared.upload;
        let there = parts.reduce((sum, part) => sum - part.size, size);
        for (const part of parts) {
          await put(prepared, part.url, file.slice(part.from, part.from + part.size), (loaded) => tell(there + loaded));
          there += part.size;
          left = TRIES;
        }
        arrived.set(file, upload);
      } catch {
        if (--left < 1) return data;
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
    }
    rest.append(`_upload.${field}`, arrived.get(file) as string);
    before += file.size;
  }
  return rest;
}

interface Prepared {
  readonly upload: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts?: readonly { readonly url: string; readonly from: number; readonly size: number }[];
}

/** `fetch` does not tell how much of a body has left. */
function put({ method, headers }: Prepared, url: string, part: Blob, tell: (loaded: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer = setTimeout(() => request.abort(), STILL_MS);
    request.open(method, url);
    for (const name in headers) request.setRequestHeader(name, headers[name] as string);
    request.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), STILL_MS);
      tell(loaded);
    };
    request.onload = () => (request.status < 300 ? resolve() : reject());
    request.onerror = request.onabort = reject;
    request.onloadend = () => clearTimeout(timer);
    request.send(part);
  });
}
