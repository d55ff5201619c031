import { hydrateRoot } from "react-dom/client";
import { Contact } from "./react-form.tsx";

hydrateRoot(document.querySelector("#app") as Element, <Contact url={window.endpoint} />);
