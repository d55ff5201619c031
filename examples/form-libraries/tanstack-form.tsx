import { useForm } from "@tanstack/react-form";
import { createSubmitter, toFieldErrors } from "form-backend/react";
import { useState } from "react";

export function Contact({ url }: { url: string }) {
  // Keeps the idempotency key over retries.
  const [submit] = useState(createSubmitter);
  const [sent, setSent] = useState("");
  const form = useForm({
    defaultValues: { name: "", email: "" },
    validators: {
      onSubmitAsync: async ({ value }) => {
        const result = await submit(url, value);
        if (!result.ok) return { form: result.message, fields: toFieldErrors(result) };
        setSent(result.message);
      },
    },
  });
  if (sent) return <p role="status">{sent}</p>;
  return (
    <form
      action={url}
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void form.handleSubmit();
      }}
    >
      {(["name", "email"] as const).map((name) => (
        <form.Field key={name} name={name}>
          {({ state, handleChange }) => (
            <p>
              <label>
                {name}{" "}
                <input
                  name={name}
                  value={state.value}
                  onChange={({ target }) => handleChange(target.value)}
                  aria-invalid={!state.meta.isValid}
                  aria-describedby={`${name}-error`}
                />
              </label>
              <span id={`${name}-error`}>{state.meta.errors.join(" ")}</span>
            </p>
          )}
        </form.Field>
      ))}
      <button type="submit">Send</button>
      <form.Subscribe selector={({ errorMap }) => errorMap.onSubmit}>
        {(problem) => <p role="status">{problem}</p>}
      </form.Subscribe>
    </form>
  );
}
