import { randomBytes } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import { parseInput } from "../../lib/input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { type FormCopyInput, type HostForm, FormCopyInput as Input } from "../../model/forms.ts";
import { HOST } from "../../model/keys.ts";
import { imagesOf } from "../files/form-images.ts";
import { announce, discard, markOf, overBlob, readBlob } from "../files/store.ts";
import { newSecret } from "../webhooks/sign.ts";
import { reachForm } from "./access.ts";
import { createFrom } from "./create.ts";
import { withImagesAt } from "./image-urls.ts";
import { toForm } from "./view.ts";

/**
 * Makes a new form with the settings, webhooks and images of another one, in its team or in another: without its submissions, and
 * without its key and aliases, which are unique. Each webhook gets a secret of its own. In another team it sends from the default
 * sender. Throws `form_not_found`, `invalid_parameter`, `plan_restricted`, `team_inactive`, `owner_unverified`, `unavailable`.
 */
export async function copyForm(core: Core, id: string, input: FormCopyInput = {}): Promise<HostForm> {
  const { name, team_id } = parseInput(Input, input);
  const { value } = await reachForm(core, HOST, id);
  const team = team_id ?? value.team_id;
  const images = await imagesOf(core, id);
  const renamed = new Map(images.map((image) => [image.id, prefixedId("img")]));
  for (const webhook of value.webhooks) renamed.set(webhook.id, prefixedId("whk"));
  const { webhooks, former_team_ids: _, ...copied } = withIds(await withImagesAt(core, value, images, team), renamed);
  const secrets = await Promise.all(
    webhooks.map(async () => [{ sealed: await core.seal.seal(newSecret()), until: null }]),
  );
  const record: FormRecord = {
    ...copied,
    team_id: team,
    name: name ?? value.name,
    webhooks: webhooks.map((webhook, at) => ({ ...webhook, secrets: secrets[at] ?? [] })),
    settings: { ...copied.settings, key: null, aliases: [] },
    // Values that are taken once are those of one form.
    unique_key: value.unique_key && (await core.seal.seal(randomBytes(32).toString("base64url"))),
    ...(team !== value.team_id && { self_email_notification: atHome(copied.self_email_notification) }),
  };
  const kept: string[] = [];
  try {
    for (const image of images) {
      const to = renamed.get(image.id) as string;
      await announce(core, to);
      kept.push(to);
      const bytes = await readBlob(core, image.id);
      if (!bytes) throw new ApiError("unavailable", { message: `The image ${image.id} can't be read at the moment.` });
      await overBlob(core, () => core.blob.put(to, bytes, { mimeType: image.value.mime_type }));
    }
    const row = await createFrom(core, team, record, (made) =>
      images.flatMap((image) => {
        const to = renamed.get(image.id) as string;
        const row = put("images", to, { ...image.value, form_id: made, team_id: team }, null);
        return [row, { op: "remove", collection: "marks", id: markOf(to) } as const];
      }),
    );
    const form = await toForm(core, row);
    core.events.emit("form.created", form);
    return form;
  } catch (error) {
    await discard(core, kept);
    throw error;
  }
}

/** The same settings with other ids of images and webhooks, which stand in URLs, lists and rules. Ids are unmistakable. */
function withIds(form: FormRecord, renamed: ReadonlyMap<string, string>): FormRecord {
  const text = JSON.stringify(form);
  return JSON.parse(text.replace(/\b(?:img|whk)_[A-Za-z0-9]+/g, (id) => renamed.get(id) ?? id)) as FormRecord;
}

/** A team's mail server and addresses are its own. */
const atHome = (mail: FormRecord["self_email_notification"]): FormRecord["self_email_notification"] => ({
  ...mail,
  sender: { ...mail.sender, server_id: "", email: "" },
});
