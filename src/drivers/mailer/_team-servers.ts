import type { SmtpTransport } from "./_smtp-transport.ts";
import type { MailServer } from "./types.ts";

const MAX_SERVERS = 20;

interface Entry {
  readonly settings: string;
  readonly transport: Promise<SmtpTransport>;
  users: number;
  retired: boolean;
}

/** Transports of the teams' own servers. One with changed settings, or the least recently used, is closed after its last mail. */
export interface TeamServers {
  use<T>(server: MailServer, run: (transport: SmtpTransport) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function teamServers(connect: (server: MailServer) => Promise<SmtpTransport>): TeamServers {
  // In order of last use.
  const entries = new Map<string, Entry>();

  const end = (entry: Entry): Promise<void> =>
    entry.transport.then(
      (transport) => transport.close(),
      () => {},
    );
  const retire = (id: string, entry: Entry): Promise<void> => {
    if (entries.get(id) === entry) entries.delete(id);
    entry.retired = true;
    return entry.users === 0 ? end(entry) : Promise.resolve();
  };

  const enter = (server: MailServer): Entry => {
    const settings = JSON.stringify([server.host, server.port, server.secure, server.username, server.password]);
    let entry = entries.get(server.id);
    if (entry && entry.settings !== settings) {
      void retire(server.id, entry);
      entry = undefined;
    }
    entry ??= { settings, transport: connect(server), users: 0, retired: false };
    entries.delete(server.id);
    entries.set(server.id, entry);
    entry.users += 1;
    const oldest = entries.entries().next().value;
    if (entries.size > MAX_SERVERS && oldest) void retire(...oldest);
    return entry;
  };

  return {
    async use(server, run) {
      const entry = enter(server);
      try {
        return await run(await entry.transport);
      } catch (error) {
        entry.transport.catch(() => retire(server.id, entry));
        throw error;
      } finally {
        entry.users -= 1;
        if (entry.retired && entry.users === 0) void end(entry);
      }
    },
    async close() {
      await Promise.all([...entries].map(([id, entry]) => retire(id, entry)));
    },
  };
}
