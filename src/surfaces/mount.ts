import type { Core } from "../core/core.ts";
import type { EventHub } from "../core/events.ts";
import { challenge } from "../core/http/protected-resource.ts";
import type { FormBackendOptions, Options } from "../core/options/types.ts";
import { createEngine, type Engine, type Internals, type Mounted } from "../engine.ts";
import { inboundRoutes } from "../features/inbound/routes.ts";
import { preflight, publicErrors } from "../features/intake/routes.ts";
import { atEveryAddress, prefixesOf } from "../features/intake/routes-addresses.ts";
import { wayOf } from "../model/program-way.ts";
import { type InProcessApi, inProcessApi } from "./api/in-process.ts";
import { type InboxApi, type InboxMount, noInbox } from "./api/inbox.ts";
import { managementAnswers } from "./api/management.ts";
import type { MountedMcp } from "./api/mcp.ts";
import { openapiOf } from "./api/openapi.ts";
import { ownHosts } from "./api/own-host.ts";
import { createHandler, v1Errors, v1Route } from "./api/serve.ts";
import {
  fileErrors,
  fileRoute,
  imageFileRoute,
  openRoutes,
  publicPrefixes,
  publicRoutes,
  routes,
} from "./api/table.ts";
import type { Zone } from "./api/zone.ts";
import { mountLegacy } from "./legacy/index.ts";

/** Every way in: requests, and calls in process. */
export interface MountedSurfaces extends Mounted {
  openapi(): object;
  readonly inbox: InboxApi;
  readonly api: InProcessApi;
}

/** A backend with its surfaces. `form-backend.ts` loads this file, and with it nearly all others, when the first call comes. */
export function createMounted(
  input: FormBackendOptions,
  options: Options,
  events: EventHub,
  internals: Internals = {},
): Engine<MountedSurfaces> {
  return createEngine(input, options, events, { openapi: (given) => openapiOf(routes, given), mount }, internals);
}

function mount(core: Core, input: FormBackendOptions, ready: () => Promise<void>): MountedSurfaces {
  const { options } = core;
  const v1: Zone = {
    basePath: options.basePath,
    routes: Object.values(routes).map(v1Route),
    onError: v1Errors,
    ...managementAnswers(core, { challenge: challenge(options), session: options.authenticate !== undefined }),
  };
  const assets: Zone = { basePath: options.basePath, routes: openRoutes, onError: v1Errors };
  const files: Zone = {
    basePath: options.basePath,
    prefixes: ["/files"],
    routes: [fileRoute],
    onError: fileErrors,
  };
  const open: Zone = {
    basePath: options.basePath,
    prefixes: [...publicPrefixes, ...prefixesOf(options.dialects)],
    routes: atEveryAddress(publicRoutes, options.dialects),
    onError: publicErrors,
    preflight,
  };
  const inbound: Zone = { basePath: options.basePath, routes: options.inbound ? inboundRoutes : [], onError: v1Errors };
  const inbox = (input.inbox?.mount as ((core: Core) => InboxMount) | undefined)?.(core);
  const mcp = (input.mcp?.mount as ((core: Core) => MountedMcp) | undefined)?.(core);
  return {
    respond: createHandler(
      core,
      [v1, open, assets, files, inbound, mountLegacy(core), ...[inbox, mcp].flatMap((part) => part?.zone ?? [])],
      ready,
      ownHosts([...open.routes, ...files.routes, imageFileRoute]),
    ),
    async onReady() {
      await inbox?.onReady();
      await mcp?.onReady();
    },
    async onClose() {
      await mcp?.onClose();
    },
    openapi: core.openapi.document,
    inbox: inbox?.api ?? noInbox,
    api: inProcessApi(core, ready, wayOf(input)),
  };
}
