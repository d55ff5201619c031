import type { NitroApp } from "nitro/types";

// Starts the workers with the server, so that what a restart left due is sent before anybody asks, and ends them with it.
export default (nitro: NitroApp) => {
  // Not a static import: Nitro's storage comes into being after its plugins are loaded.
  const starting = import("../form-backend").then(async ({ default: backend }) => {
    await backend.ready();
    return backend;
  });
  starting.catch((error) => console.error(error));
  nitro.hooks.hook("close", async () => (await starting).close());
};
