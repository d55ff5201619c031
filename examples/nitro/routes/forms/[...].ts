import { formBackend } from "form-backend/nitro";
import backend from "../../form-backend";

export default formBackend(backend);
