import type express from "express";
import type { createFormBackend as create, Form, FormBackend } from "../../../src/index.ts";
import type { Client } from "../../../src/surfaces/client/index.ts";

declare global {
  const createFormBackend: typeof create;
  const backend: FormBackend;
  const form: Form;
  const formId: string;
  const webhookId: string;
  const submissionId: string;
  const app: express.Express;
  const client: Client;
  const request: Request;
  const rawBody: string;

  // The servers of other runtimes, as far as their pages use them.
  const Bun: {
    serve(options: {
      port: number | string;
      fetch(
        request: Request,
        server: { requestIP(request: Request): { address: string } | null },
      ): Response | Promise<Response>;
    }): { stop(): Promise<void> };
  };
  const Deno: {
    serve(
      options: { port: number },
      handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
    ): { shutdown(): Promise<void> };
    addSignalListener(signal: string, handler: () => void): void;
  };

  // What Nuxt and Nitro put into every file, or read a file for.
  interface NitroConfig {
    preset?: string;
    entry?: string;
    compatibilityDate?: string;
    cloudflare?: { deployConfig?: boolean };
    rollupConfig?: { external?: string[] };
    externals?: { traceInclude?: string[] };
    experimental?: { tasks?: boolean };
    scheduledTasks?: Record<string, string[]>;
  }
  function defineNuxtConfig(config: {
    modules?: string[];
    formBackend?: import("../../../adapters/nuxt/module.ts").ModuleOptions;
    nitro?: NitroConfig;
  }): object;
  function defineNitroConfig(config: NitroConfig): object;
  function useStorage(base: string): import("unstorage").Storage;
  interface H3Event {
    context: {
      cloudflare: { env: { FORMS: import("../../../src/surfaces/cloudflare/bindings.ts").ObjectNamespaceLike } };
    };
  }
  function defineEventHandler<T>(handler: (event: H3Event) => T): () => T;

  // Whatever the reader's own app has.
  const database: { query(sql: string): AsyncIterable<{ id: number; sent_at: Date; email: string; text: string }> };
  const clamav: { scanStream(stream: unknown): Promise<{ isInfected: boolean }> };
  const kms: {
    encrypt(input: { KeyId: string; Plaintext: Uint8Array }): Promise<{ CiphertextBlob: Uint8Array }>;
    decrypt(input: { KeyId: string; CiphertextBlob: Uint8Array }): Promise<{ Plaintext: Uint8Array }>;
  };
  const auth: {
    api: {
      getSession(input: { headers: Headers }): Promise<{
        user: { id: string; name: string };
        session: { activeOrganizationId: string };
      } | null>;
    };
  };
  function enqueue(work: unknown): void;
  function session(request: Request): Promise<{ id: string; team: string } | null>;
  /** Of nuxt-auth-utils, which Nuxt imports by itself. */
  function getUserSession(event: {
    headers: Headers;
    context: object;
  }): Promise<{ user: { id: string; name: string; team: string } | null }>;
  namespace Express {
    interface Request {
      session: { id: string; answers: Record<string, string>; user?: { id: string; name: string; team: string } };
    }
  }
}
