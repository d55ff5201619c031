/** A host name of the machine itself, as `URL.hostname` has it. */
export const isLoopbackName = (hostname: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/.test(hostname);
