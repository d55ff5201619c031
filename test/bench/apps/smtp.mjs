// A mail server that takes everything and counts.
import { SMTPServer } from "smtp-server";
import { report } from "./report.mjs";

let mails = 0;
let connections = 0;
let bytes = 0;
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS", "AUTH"],
  onConnect(_session, done) {
    connections += 1;
    done();
  },
  onData(stream, _session, done) {
    stream.on("data", (chunk) => (bytes += chunk.length));
    stream.on("end", () => {
      mails += 1;
      done();
    });
  },
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
report(
  { port: server.server.address().port },
  {
    /** Since it was last asked. */
    received() {
      const seen = { mails, connections, bytes };
      mails = connections = bytes = 0;
      return seen;
    },
  },
);
