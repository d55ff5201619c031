/** The part of Standard Schema v1 (standardschema.dev) that we use; every schema of zod, valibot and arktype has this shape. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type StandardResult = { readonly value?: unknown; readonly issues?: readonly StandardIssue[] | undefined };

/** True if a value is a Standard Schema; arktype's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = Reflect.get(value, "~standard");
  return typeof standard === "object" && standard !== null && typeof Reflect.get(standard, "validate") === "function";
}

/** Throws a TypeError for a value that is no Standard Schema; null removes one. */
export function assertStandardSchema(value: unknown): asserts value is StandardSchema | null {
  if (value === null || isStandardSchema(value)) return;
  throw new TypeError("[form-backend] forms.useSchema: the schema must be a Standard Schema, such as one of zod");
}
