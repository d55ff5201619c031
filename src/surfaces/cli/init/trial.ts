import { memoryMailer } from "../../../drivers/mailer/memory.ts";
import { ApiError } from "../../../errors.ts";
import { errorMessage } from "../../../lib/message.ts";
import type { Submission } from "../../../model/submissions.ts";
import { createFormBackend } from "../../form-backend.ts";
import type { Context } from "../context.ts";
import { driversOf } from "../drivers.ts";
import { secretOf } from "../environment.ts";

/** A form that has been posted to, and what was in its inbox. */
export interface Tried {
  readonly endpoint: string;
  readonly fields: Submission["fields"];
}

const SAMPLE = { name: "Ann", email: "ann@example.com", message: "Hello from init" };

/**
 * Posts to the form in the app's new store, and looks at what has arrived, which it then removes. Sends no mail. Answers a reason
 * where that can't be done yet: init has done its own work by then.
 */
export async function tried({ io }: Context, port: number): Promise<Tried | string> {
  let end = async (): Promise<void> => {};
  try {
    const secret = secretOf(io.env);
    const { options, close } = await driversOf(io, { create: true });
    end = close;
    const backend = createFormBackend({
      baseUrl: io.env["FORM_BACKEND_URL"] ?? `http://localhost:${port}/forms`,
      ...options,
      ...(secret && { secret }),
      mailer: memoryMailer(),
      work: false,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    end = async () => {
      await backend.close();
      await close();
    };
    // Never a form that is there already, whose post would go to its owners and webhooks.
    const made = await backend.forms
      .create({
        name: "Contact",
        self_email_notification: { recipients: ["you@example.com"] },
        settings: { key: "contact" },
      })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.param === "settings.key") return null;
        throw error;
      });
    if (!made) return 'the store has a form "contact" already, which gets no test.';
    const { id, endpoint } = made;
    const body = new URLSearchParams(SAMPLE);
    const headers = { accept: "application/json" };
    const answer = await backend.fetch(new Request(endpoint, { method: "POST", body, headers }));
    if (!answer.ok) return `the form answered ${answer.status}: ${await answer.text()}`;
    const { submission_id } = (await answer.json()) as { submission_id: string };
    const { fields } = await backend.submissions.get(id, submission_id);
    await backend.submissions.delete(id, submission_id);
    return { endpoint, fields };
  } catch (error) {
    return errorMessage(error).replace(/^\[form-backend\] /, "");
  } finally {
    await end().catch(() => {});
  }
}
