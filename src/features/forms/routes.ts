import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { etagOf } from "../../lib/etag.ts";
import { Email } from "../../lib/wire.ts";
import { FormCreate, FormPatch, HostFormCreate, HostFormPatch } from "../../model/form-input.ts";
import { settingsOf } from "../../model/form-record.ts";
import { FormSettings, FormSettingsPatch, HostFormSettingsPatch } from "../../model/form-settings.ts";
import { Form, FormDeleted, FormId, FormList, FormListQuery, HostForm, HostFormList } from "../../model/forms.ts";
import { restrictionOf } from "../../model/restriction.ts";
import { createForm } from "./create.ts";
import { addRecipient, RecipientAdd, RecipientList, removeRecipient } from "./recipients.ts";
import { deleteForm, listForms, updateForm } from "./service.ts";
import { toForm, type Versioned } from "./view.ts";

const byForm = z.object({ form_id: FormId });

/** The response, with its version as the `ETag`. */
function tagged<T>(headers: Record<string, string>, { value, version }: Versioned<T>): T {
  headers["etag"] = etagOf(version);
  return value;
}

export const formRoutes = {
  listForms: route({
    method: "GET",
    path: "/v1/forms",
    call: "forms.list",
    summary: "List forms",
    tag: "Forms",
    scopes: ["forms:read"],
    query: FormListQuery,
    response: FormList,
    host: { response: HostFormList },
    errors: [],
    handler: ({ core, caller, query }) => listForms(core, caller, query),
  }),
  createForm: route({
    method: "POST",
    path: "/v1/forms",
    call: "forms.create",
    summary: "Create a form",
    tag: "Forms",
    scopes: ["forms:write"],
    creates: true,
    body: FormCreate,
    host: { body: HostFormCreate, response: HostForm },
    status: 201,
    response: Form,
    tagged: true,
    errors: ["form_access_restricted", "plan_restricted"],
    handler: async ({ core, caller, body, headers }) => tagged(headers, await createForm(core, caller, body)),
  }),
  retrieveForm: route({
    method: "GET",
    path: "/v1/forms/:form_id",
    call: "forms.get",
    form: "live",
    summary: "Retrieve a form",
    tag: "Forms",
    scopes: ["forms:read"],
    params: byForm,
    response: Form,
    host: { response: HostForm },
    tagged: true,
    errors: [],
    handler: async ({ core, form, headers }) =>
      tagged(headers, { value: await toForm(core, form), version: form.version }),
  }),
  updateForm: route({
    method: "PATCH",
    path: "/v1/forms/:form_id",
    call: "forms.update",
    form: "live",
    summary: "Update a form",
    tag: "Forms",
    scopes: ["forms:write"],
    params: byForm,
    body: FormPatch,
    host: { body: HostFormPatch, response: HostForm },
    response: Form,
    tagged: true,
    conditional: true,
    errors: ["plan_restricted"],
    handler: async ({ core, caller, form, body, ifMatch, headers }) =>
      tagged(headers, await updateForm(core, form, body, { ifMatch, restriction: restrictionOf(caller) })),
  }),
  retrieveFormSettings: route({
    method: "GET",
    path: "/v1/forms/:form_id/settings",
    form: "live",
    summary: "Retrieve a form's settings",
    tag: "Forms",
    scopes: ["forms:read"],
    params: byForm,
    response: FormSettings,
    tagged: true,
    errors: [],
    handler: async ({ form, headers }) => tagged(headers, { value: settingsOf(form.value), version: form.version }),
  }),
  updateFormSettings: route({
    method: "PATCH",
    path: "/v1/forms/:form_id/settings",
    form: "live",
    summary: "Update a form's settings",
    tag: "Forms",
    scopes: ["forms:write"],
    params: byForm,
    body: FormSettingsPatch,
    host: { body: HostFormSettingsPatch },
    response: FormSettings,
    tagged: true,
    conditional: true,
    errors: ["plan_restricted"],
    handler: async ({ core, form, body, ifMatch, headers }) => {
      const patch = Object.keys(body).length > 0 ? { settings: body } : {};
      const { value, version } = await updateForm(core, form, patch, { ifMatch, at: "" });
      return tagged(headers, { value: value.settings, version });
    },
  }),
  deleteForm: route({
    method: "DELETE",
    path: "/v1/forms/:form_id",
    call: "forms.delete",
    form: "live",
    summary: "Delete a form",
    tag: "Forms",
    scopes: ["forms:write"],
    params: byForm,
    response: FormDeleted,
    conditional: true,
    errors: [],
    handler: ({ core, form, ifMatch }) => deleteForm(core, form, ifMatch),
  }),
  addRecipient: route({
    method: "POST",
    path: "/v1/forms/:form_id/self-email-notification/recipients",
    call: "forms.addRecipient",
    form: "live",
    summary: "Add a recipient",
    tag: "Recipients",
    scopes: ["forms:write"],
    params: byForm,
    body: RecipientAdd,
    response: RecipientList,
    errors: ["plan_restricted"],
    handler: ({ core, caller, form, body }) => addRecipient(core, form, body.email, restrictionOf(caller)),
  }),
  removeRecipient: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/self-email-notification/recipients/:email",
    call: "forms.removeRecipient",
    form: "live",
    summary: "Remove a recipient",
    tag: "Recipients",
    scopes: ["forms:write"],
    params: byForm.extend({ email: Email }),
    response: RecipientList,
    errors: ["recipient_not_found"],
    handler: ({ core, form, params }) => removeRecipient(core, form, params.email),
  }),
};
