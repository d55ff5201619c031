import { errorMessage } from "../../../lib/message.ts";
import type { Dns } from "../../../lib/sender-dns/dns.ts";
import { type Finding, type Findings, findingsFor } from "../../../lib/sender-dns/finding.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { safeLine } from "../text.ts";

/** The tools of a check. */
export interface Checker {
  readonly io: Io;
  readonly dns: Dns;
  /** DKIM selectors. */
  readonly selectors: readonly string[];
  /** Runs one check. An error of it is a finding, so the others still run. */
  check(name: string, run: (find: Findings) => Promise<void>): Promise<void>;
}

export function checkerOf(io: Io, dns: Dns, selectors: readonly string[], add: (finding: Finding) => void): Checker {
  return {
    io,
    dns,
    selectors,
    async check(name, run) {
      io.signal.throwIfAborted();
      const find = findingsFor(name, add);
      await run(find).catch((error: unknown) => {
        io.signal.throwIfAborted();
        const message = errorMessage(error);
        const dnsError = /^query[A-Z]\w* [A-Z]+/.test(message);
        if (error instanceof Failure) find.failed(...sentences(message));
        else if (dnsError)
          find.warning(
            `DNS did not respond: ${message}`,
            "Repeat the check, or ask another name server with --dns 1.1.1.1.",
          );
        else find.failed(safeLine(message), "Correct this, and repeat the check.");
      });
    },
  };
}

/** A message of ours says what is wrong, and what to do in its last sentence. */
function sentences(message: string): [string, string] {
  const [first = message, ...rest] = message.split(/(?<=\.) (?=[A-Z])/);
  return [first, rest.join(" ") || "Correct this, and repeat the check."];
}
