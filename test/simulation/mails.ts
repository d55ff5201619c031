import type { Mail } from "../../src/drivers/mailer/types.ts";
import type { Bounce, InboundMail, Received } from "../../src/model/inbound.ts";
import { BASE_URL, type System, textOf } from "./system.ts";
import { patient } from "./visitors.ts";
import type { World } from "./world.ts";

/** A mail or a report that the mail service brought, with what it was told. */
export interface Brought {
  readonly n: number;
  readonly kind: "mail" | "bounce";
  /** A word that only this mail has. */
  readonly canary: string;
  readonly email: string;
  /** The submission that it is about. */
  readonly submission: string;
  result: string | null;
  /** When it was told so. */
  at: number;
}

/** Has people write back to mails with an address for answers, and mail servers return some. */
export function correspond(world: World, system: System): { readonly brought: Brought[]; under: () => number } {
  const brought: Brought[] = [];
  let underWay = 0;
  let count = 0;
  system.outside.onMail = (mail) => {
    const random = world.random.fork(`mail ${mail.messageId}`);
    const address = mail.replyTo?.address ?? "";
    // An automatic reply of each recipient's would never end.
    if (address.startsWith("reply+") && count < 12 && random.chance(0.7)) {
      const n = ++count;
      const received: Received = { is: "mail", mail: answer(mail, address, n), event: `event-${n}` };
      const submission = /^reply\+([0-9a-f]+)-/.exec(address)?.[1] ?? "";
      void bring(received, { ...one(n, "mail"), canary: `mail-${n}-word`, email: mail.to.address, submission });
    } else if (mail.to.address.startsWith("visitor") && random.chance(0.2)) {
      const n = ++count;
      const bounce: Bounce = {
        kind: "hard",
        email: mail.to.address,
        ids: [mail.messageId],
        reason: "550 No such user",
      };
      const received: Received = { is: "bounces", bounces: [bounce], event: `event-${n}` };
      void bring(received, { ...one(n, "bounce"), canary: `event-${n}`, email: mail.to.address, submission: "" });
    }
  };

  async function bring(received: Received, it: Brought): Promise<void> {
    underWay++;
    brought.push(it);
    const random = world.random.fork(`bring ${it.n}`);
    // The service repeats what it got no answer to, and sometimes what it did.
    const times = random.chance(0.3) ? 2 : 1;
    await Promise.all(Array.from({ length: times }, () => once(received, it)));
    underWay--;
  }

  async function once(received: Received, it: Brought): Promise<void> {
    const random = world.random.fork(`once ${it.n}`);
    for (let tried = 0; tried < 200; tried++) {
      await world.pause(random.between(100, 20_000));
      const all = system.running();
      if (all.length === 0) continue;
      const answered = await patient(
        world,
        system.inside(random.pick(all), async (backend) => {
          const request = new Request(`${BASE_URL}/inbound/simulated`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(received),
          });
          const response = await backend.handle(request);
          return { status: response.status, body: JSON.parse(await textOf(response)) as { result?: string } };
        }),
      );
      world.note(
        `the mail service brings ${it.kind} ${it.n}: ${answered ? `${answered.status} ${answered.body.result}` : "reset"}`,
      );
      if (answered?.status !== 200) continue;
      // The first answer may have been lost, so both are true.
      if (it.result !== "stored") it.result = answered.body.result ?? null;
      it.at = world.now();
      return;
    }
    throw new Error(`the mail service got no answer in 200 tries`);
  }

  return { brought, under: () => underWay };
}

const one = (n: number, kind: Brought["kind"]) => ({ n, kind, result: null, at: 0 });

function answer(mail: Mail, address: string, n: number): InboundMail {
  return {
    messageId: `in-${n}@example.net`,
    from: mail.to.address,
    recipients: [address],
    to: [address],
    cc: [],
    subject: `Re: ${mail.subject}`,
    text: `mail-${n}-word`,
    html: "",
    answers: [mail.messageId],
    headers: [],
    files: [],
    dmarc: "pass",
  };
}
