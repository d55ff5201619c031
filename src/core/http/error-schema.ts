import { z } from "zod";
import { type ErrorCode, errors } from "../../errors.ts";

/** Every error of v1 and of the public endpoint. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      type: z.enum([...new Set(Object.values(errors).map(({ type }) => type))]),
      code: z.enum(Object.keys(errors) as ErrorCode[]).describe("Stable, so compare it in programs."),
      message: z.string().describe("For people; may change."),
      param: z.string().optional().describe("The request field at fault, as a dot path."),
      required: z.array(z.string()).optional().describe("The missing scopes, with `insufficient_scope`."),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" });
