import type { Options } from "../../core/options/types.ts";
import type { OpenApiDocument, OperationObject } from "./document.ts";

/** The document of all backends: without names, addresses and ways to authenticate. */
export type CommonDocument = Omit<OpenApiDocument, "info" | "servers" | "components"> & {
  readonly info: Omit<OpenApiDocument["info"], "title">;
  readonly components: Omit<OpenApiDocument["components"], "securitySchemes">;
};

/** The document of one backend: the common one with what its options say. */
export function documentOf(
  common: CommonDocument,
  { baseUrl, brand, oauth }: Pick<Options, "baseUrl" | "brand" | "oauth">,
): OpenApiDocument {
  const { openapi, info, paths, components, ...rest } = common;
  return {
    openapi,
    info: { ...info, title: `${brand.name} Management API` },
    ...rest,
    servers: [{ url: baseUrl }],
    paths: oauth ? withTokens(paths) : paths,
    components: {
      ...components,
      securitySchemes: {
        api_key: {
          type: "http",
          scheme: "bearer",
          description: `An API key, which begins with \`${brand.keyPrefix}\`.`,
        },
        ...(oauth && {
          oauth: {
            type: "openIdConnect",
            openIdConnectUrl: `${oauth.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
            description: "An access token of the authorization server, as a bearer token.",
          },
        }),
      },
    },
  };
}

/** Adds an access token with the same scopes to each operation that accepts an API key. */
function withTokens(paths: OpenApiDocument["paths"]): OpenApiDocument["paths"] {
  const both = (operation: OperationObject): OperationObject => {
    const [key] = operation.security;
    return { ...operation, security: key ? [key, { oauth: key["api_key"] ?? [] }] : [] };
  };
  return mapped(paths, (methods) => mapped(methods, both));
}

const mapped = <T>(of: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
