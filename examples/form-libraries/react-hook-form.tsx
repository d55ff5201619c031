import { createSubmitter } from "form-backend/react";
import { useState } from "react";
import { useForm } from "react-hook-form";

interface Values {
  name: string;
  email: string;
}

export function Contact({ url }: { url: string }) {
  // Keeps the idempotency key over retries.
  const [submit] = useState(createSubmitter);
  const [sent, setSent] = useState("");
  const { register, handleSubmit, setError, formState } = useForm<Values>();
  const send = handleSubmit(async (values) => {
    const result = await submit(url, values);
    if (result.ok) return setSent(result.message);
    for (const [name, { rule, message }] of Object.entries(result.errors))
      setError(name as keyof Values, { type: rule, message }, { shouldFocus: true });
    setError("root", { type: result.code, message: result.message });
  });
  if (sent) return <p role="status">{sent}</p>;
  return (
    <form action={url} method="post" onSubmit={send}>
      {(["name", "email"] as const).map((name) => (
        <p key={name}>
          <label>
            {name}{" "}
            <input
              {...register(name)}
              aria-invalid={formState.errors[name] !== undefined}
              aria-describedby={`${name}-error`}
            />
          </label>
          <span id={`${name}-error`}>{formState.errors[name]?.message}</span>
        </p>
      ))}
      <button type="submit">Send</button>
      <p role="status">{formState.isSubmitting ? "Sending…" : formState.errors.root?.message}</p>
    </form>
  );
}
