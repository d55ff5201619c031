/** A part that is loaded when it is first needed. */
export interface Late<T> {
  /** The part, or undefined until it is loaded. */
  now(): T | undefined;
  /** The part, once it is loaded. After a failure, the next call tries again. */
  load(): Promise<T>;
}

/** Loads a part at most once. `loaded` is set where it is there from the start. */
export function late<T>(load: () => Promise<T>, loaded?: T): Late<T> {
  let part = loaded;
  let loading: Promise<T> | undefined;
  return {
    now: () => part,
    load() {
      loading ??= (part === undefined ? load() : Promise.resolve(part)).then(
        (made) => (part = made),
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}
