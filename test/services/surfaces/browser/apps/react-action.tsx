import { formAction } from "form-backend/react";
import { useActionState } from "react";
import { createRoot } from "react-dom/client";

function Contact({ url }: { url: string }) {
  const [state, action, pending] = useActionState(formAction(url), null);
  const wrong = state?.ok === false ? state.errors["email"]?.message : undefined;
  return (
    <form action={action}>
      <label>
        Name <input name="name" defaultValue={state?.values["name"]} />
      </label>
      <label>
        Email{" "}
        <input
          name="email"
          defaultValue={state?.values["email"]}
          aria-invalid={wrong !== undefined}
          aria-describedby="wrong"
        />
      </label>
      <span id="wrong">{wrong}</span>
      <button type="submit">Send</button>
      <p role="status">{pending ? "Sending…" : state?.message}</p>
    </form>
  );
}

const app = document.querySelector("#app") as Element;
createRoot(app).render(<Contact url={window.endpoint} />);
