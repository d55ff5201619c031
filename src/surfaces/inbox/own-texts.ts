import english from "../../texts/inbox/en.json";

type Group = Readonly<Record<string, unknown>>;
const groups: Readonly<Record<string, Group>> = english;

/** The English text with this name, such as `list.inbox`; undefined if there is none. */
export function textAt(name: string): unknown {
  const [group = "", ...rest] = name.split(".");
  const own = Object.hasOwn(groups, group) ? groups[group] : undefined;
  const key = rest.join(".");
  return own && Object.hasOwn(own, key) ? own[key] : undefined;
}

/** Texts with those of the host in their place. */
export function replacing<T extends object>(texts: T, own: Readonly<Record<string, string>>): T {
  const out: Record<string, Group> = { ...(texts as Readonly<Record<string, Group>>) };
  for (const [name, text] of Object.entries(own)) {
    const [group = "", ...rest] = name.split(".");
    out[group] = { ...out[group], [rest.join(".")]: text };
  }
  return out as T;
}
