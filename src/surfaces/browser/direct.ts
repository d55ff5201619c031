import type { UploadProgress } from "./answer.ts";

/** Tries to send a file, one after the other; a connection may be lost in between. */
const TRIES = 9;
const WAIT_MS = 2_000;

/** Files that have arrived, so that a post which is sent again does not send them again. */
const arrived = new WeakMap<File, string>();

/**
 * Puts the files of a post into the store and names them instead, in the fields `_upload.<field>`. Where that is not possible, the
 * files stay in the post, and its answer says what is wrong.
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
    for (let left = TRIES; !arrived.has(file); ) {
      try {
        const { name, size, type } = file;
        const body = JSON.stringify({ name, size, type, field });
        const headers = { "content-type": "application/json" };
        const response = await fetch(`${action}/uploads`, { method: "POST", headers, body });
        // To ask again would not help.
        if (!response.ok) return data;
        const prepared = await response.json();
        await put(prepared, file, tell);
        arrived.set(file, prepared.upload);
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
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `fetch` does not tell how much of a body has left. */
function put({ url, method, headers }: Prepared, file: File, tell: (loaded: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const name in headers) request.setRequestHeader(name, headers[name] as string);
    request.upload.onprogress = ({ loaded }) => tell(loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject());
    request.onerror = reject;
    request.send(file);
  });
}
