import { z } from "zod";
import { route } from "../http/route.ts";
import { Email } from "../lib/email.ts";
import { listOf } from "../lib/wire.ts";
import { addRecipient, RecipientAdd, RecipientList, removeRecipient } from "./recipients.ts";
import { Form, FormCreate, FormDeleted, FormId, FormListQuery, FormPatch } from "./schema.ts";
import { createForm, deleteForm, listForms, retrieveForm, updateForm } from "./service.ts";

const byForm = z.object({ form_id: FormId });

export const formRoutes = {
  listForms: route({
    method: "GET",
    path: "/v1/forms",
    summary: "List forms",
    tag: "Forms",
    scopes: ["forms:read"],
    query: FormListQuery,
    response: listOf(Form, "FormList"),
    errors: [],
    handler: ({ core, caller, query }) => listForms(core, caller, query),
  }),
  createForm: route({
    method: "POST",
    path: "/v1/forms",
    summary: "Create a form",
    tag: "Forms",
    scopes: ["forms:write"],
    creates: true,
    body: FormCreate,
    status: 201,
    response: Form,
    errors: ["form_access_restricted", "plan_restricted"],
    handler: ({ core, caller, body }) => createForm(core, caller, body),
  }),
  retrieveForm: route({
    method: "GET",
    path: "/v1/forms/:form_id",
    summary: "Retrieve a form",
    tag: "Forms",
    scopes: ["forms:read"],
    params: byForm,
    response: Form,
    errors: [],
    handler: ({ core, caller, params }) => retrieveForm(core, caller, params.form_id),
  }),
  updateForm: route({
    method: "PATCH",
    path: "/v1/forms/:form_id",
    summary: "Update a form",
    tag: "Forms",
    scopes: ["forms:write"],
    params: byForm,
    body: FormPatch,
    response: Form,
    errors: ["plan_restricted"],
    handler: ({ core, caller, params, body }) => updateForm(core, caller, params.form_id, body),
  }),
  deleteForm: route({
    method: "DELETE",
    path: "/v1/forms/:form_id",
    summary: "Delete a form",
    tag: "Forms",
    scopes: ["forms:write"],
    params: byForm,
    response: FormDeleted,
    errors: [],
    handler: ({ core, caller, params }) => deleteForm(core, caller, params.form_id),
  }),
  addRecipient: route({
    method: "POST",
    path: "/v1/forms/:form_id/self-email-notification/recipients",
    summary: "Add a recipient",
    tag: "Recipients",
    scopes: ["forms:write"],
    params: byForm,
    body: RecipientAdd,
    response: RecipientList,
    errors: ["plan_restricted"],
    handler: ({ core, caller, params, body }) => addRecipient(core, caller, params.form_id, body.email),
  }),
  removeRecipient: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/self-email-notification/recipients/:email",
    summary: "Remove a recipient",
    tag: "Recipients",
    scopes: ["forms:write"],
    params: byForm.extend({ email: Email }),
    response: RecipientList,
    errors: ["recipient_not_found"],
    handler: ({ core, caller, params }) => removeRecipient(core, caller, params.form_id, params.email),
  }),
};
