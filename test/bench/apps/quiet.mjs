/** Faults only: a line for each post would fill the screen, and the apps that we are measured beside write none. */
export const quiet = { debug() {}, info() {}, warn: console.error, error: console.error };
