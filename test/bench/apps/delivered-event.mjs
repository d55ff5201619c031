// What the rivals deliver.
const message = "word ".repeat(180);

/** As large as what ours sends. */
export function event(n) {
  const fields = Object.entries({ n: String(n), name: "Ann Example", email: "ann@example.com", message });
  const data = {
    id: n.toString(16).padStart(24, "0"),
    form_id: "0123456789A",
    created_at: new Date().toISOString(),
    spam: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields: fields.map(([key, value]) => ({ key, value })),
    attachments: [],
  };
  return { n, type: "submission.created", timestamp: data.created_at, data };
}
