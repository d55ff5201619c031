import type { Core } from "../../core/core.ts";
import type { Caller } from "../../model/keys.ts";

/** Who wrote something, as others see it. */
interface Author {
  /** The id of the key, the host's id of the person, or the subject of the token. */
  readonly id: string;
  readonly name: string;
}

const PERSON = /^inbox:/;

/** A caller as the author of what it writes. A key has its own name; a caller without a name has that of the service. */
export async function authorOf(core: Core, { auth, id, name }: Caller): Promise<Author> {
  const own = name ?? (auth === "api_key" ? (await core.rows.get("keys", id))?.value.name : undefined);
  return { id: id.replace(PERSON, ""), name: own ?? (auth === "host" ? core.options.brand.name : id) };
}
