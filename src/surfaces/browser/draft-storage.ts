/** The input, by field name. */
export type Typed = Record<string, string[]>;

/** Storage for a draft between two visits. Nothing here throws: a form without its draft still works. */
export interface DraftStorage {
  read(): Promise<Typed | null>;
  write(typed: Typed): void;
  drop(): void;
  /** Sent with the post, so that the endpoint deletes the draft; null without a draft there. */
  id(): string | null;
  close(): void;
}

const WEEK = 7 * 24 * 60 * 60 * 1000;
/** Pause in typing before a draft is sent to the endpoint. */
const PAUSE = 1_000;
const MAX_BYTES = 64 * 1024;

/** Drafts in this browser, for seven days. */
export function localDraftStorage(endpoint: string): DraftStorage {
  const place = placeOf<Typed>(`form-backend:draft:${endpoint}`);
  return { read: async () => place.get(), write: place.set, drop: place.drop, id: () => null, close: () => {} };
}

/** Drafts at the endpoint; this browser keeps only under which name. */
export function serverDraftStorage(endpoint: string): DraftStorage {
  const place = placeOf<string>(`form-backend:draft-id:${endpoint}`);
  let waiting: { timer: ReturnType<typeof setTimeout>; typed: Typed } | null = null;
  let sending = new AbortController();
  const ask = (id: string, init: RequestInit = {}): Promise<Response | null> =>
    fetch(`${endpoint.replace(/\/$/, "")}/drafts/${id}`, {
      ...init,
      headers: { accept: "application/json", ...init.headers },
    }).catch(() => null);
  const flush = (keepalive = false): void => {
    if (!waiting) return;
    clearTimeout(waiting.timer);
    const body = JSON.stringify(waiting.typed);
    waiting = null;
    place.set(place.get() ?? newId());
    const id = place.get();
    // A browser that stores nothing would begin another draft at every pause, and find none of them again.
    if (!id || new Blob([body]).size > MAX_BYTES) return;
    // Two at once could arrive the wrong way round.
    sending.abort();
    sending = new AbortController();
    const headers = { "content-type": "application/json" };
    void ask(id, { method: "PUT", body, headers, keepalive, signal: sending.signal });
  };
  // There is no time for a pause when the visitor leaves the page.
  const leave = (): void => flush(true);
  addEventListener("pagehide", leave);
  return {
    async read() {
      const id = place.get();
      const response = id ? await ask(id) : null;
      if (response?.status === 404) place.drop();
      const fields: unknown = response?.ok ? await response.json().catch(() => null) : null;
      if (!fields || typeof fields !== "object") return null;
      return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat().map(String)]));
    },
    write(typed) {
      clearTimeout(waiting?.timer);
      waiting = { typed, timer: setTimeout(flush, PAUSE) };
    },
    drop() {
      clearTimeout(waiting?.timer);
      waiting = null;
      sending.abort();
      const id = place.get();
      place.drop();
      // A draft that was on its way may have arrived after the post.
      if (id) void ask(id, { method: "DELETE", keepalive: true });
    },
    id: place.get,
    close() {
      flush();
      removeEventListener("pagehide", leave);
    },
  };
}

/** A value in `localStorage`, which a browser may deny or that may be full. */
function placeOf<T>(key: string): { get(): T | null; set(value: T): void; drop(): void } {
  const attempt = <R>(use: () => R): R | null => {
    try {
      return use();
    } catch {
      return null;
    }
  };
  return {
    get: () =>
      attempt(() => {
        const { at, value } = JSON.parse(localStorage.getItem(key) ?? "null") as { at: number; value: T };
        if (Date.now() - at < WEEK) return value;
        localStorage.removeItem(key);
        return null;
      }),
    set: (value) => void attempt(() => localStorage.setItem(key, JSON.stringify({ at: Date.now(), value }))),
    drop: () => void attempt(() => localStorage.removeItem(key)),
  };
}

/** 128 random bits: anyone who knows the name of a draft can read it. */
const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
