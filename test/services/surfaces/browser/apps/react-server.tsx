import { renderToString } from "react-dom/server";
import { Contact } from "./react-form.tsx";

export const render = async (url: string): Promise<string> => renderToString(<Contact url={url} />);
