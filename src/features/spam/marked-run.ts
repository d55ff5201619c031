import { createHash } from "node:crypto";

/** The run of a team's submissions that a person called spam or not spam, by the time of the mark. */
export const markedRun = (team_id: string): string =>
  createHash("sha256")
    .update(JSON.stringify(["team", team_id, "marked"]))
    .digest("base64url")
    .slice(0, 32);
