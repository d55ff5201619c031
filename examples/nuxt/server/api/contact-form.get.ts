import { contactForm } from "../form-backend";

export default defineEventHandler(async () => ({ id: await contactForm() }));
