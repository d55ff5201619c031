import { createRoot } from "react-dom/client";
import { Contact } from "../../../../../examples/form-libraries/react-hook-form.tsx";

createRoot(document.querySelector("#app") as Element).render(<Contact url={window.endpoint} />);
