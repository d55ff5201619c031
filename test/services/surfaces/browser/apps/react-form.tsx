import { FieldError, FormStatus, useForm } from "form-backend/react";

export function Contact({ url }: { url: string }) {
  const form = useForm(url, {
    progress: true,
    data: { page: "contact" },
    draft: globalThis.draft,
    statistics: globalThis.draft !== undefined,
    availability: globalThis.availability,
    onSuccess: ({ submission_id }) => window.heard.push(`success ${submission_id.length > 0}`),
    onError: ({ code }) => window.heard.push(`error ${code}`),
  });
  return (
    <form {...form.props}>
      <label>
        Name <input {...form.field("name")} />
      </label>
      <FieldError form={form} name="name" />
      <label>
        Email <input {...form.field("email", "hint")} />
      </label>
      <span id="hint">We only use it to answer.</span>
      <FieldError form={form} name="email" className="wrong" />
      <fieldset>
        <legend>Topic</legend>
        {["praise", "question"].map((topic) => (
          <label key={topic}>
            <input type="radio" value={topic} {...form.field("topic")} /> {topic}
          </label>
        ))}
        <FieldError form={form} name="topic" />
      </fieldset>
      <label>
        CV <input type="file" {...form.field("cv")} />
      </label>
      <button type="submit" name="via" value="button">
        Send
      </button>
      <button type="button" id="abort" onClick={form.abort}>
        Stop
      </button>
      <FormStatus form={form} className="status" />
      <output id="state">{form.state}</output> <output id="progress">{form.progress}</output>
      <output id="values">{String(form.values["name"] ?? "")}</output>
    </form>
  );
}
