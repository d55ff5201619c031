import { randomBytes } from "node:crypto";
import type { Write } from "../../../src/drivers/storage/types.ts";
import { field, job, submission } from "../../../src/testing/storage/fixtures.ts";

/** What one accepted submission commits: itself, two jobs and three counters. */
export function acceptance(n: number, more: object = {}): Write[] {
  const id = n.toString(16).padStart(16, "0") + randomBytes(4).toString("hex");
  const text = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr. ".repeat(8);
  const fields = [field("name", "Anna Müller"), field("email", "anna@example.com"), field("message", text)];
  const at = new Date(1_767_225_600_000 + n).toISOString();
  return [
    submission(id, n, { fields, ip: "203.0.113.7", user_agent: "Mozilla/5.0 (X11; Linux x86_64)", ...more }),
    job(`${id}:w`, n, { submission_id: id, target: "whk_1" }),
    job(`${id}:e`, n, { submission_id: id, target: "owner@example.com", lane: "email" }),
    { op: "add", id: "form:f1:2026-01", by: 1, at },
    { op: "add", id: "form:f1", by: 1, at },
    { op: "add", id: "team:t1:2026-01", by: 1, at },
  ];
}
