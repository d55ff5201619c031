import type { SubmissionField } from "../../model/submission-field.ts";
import type { NumberedPage } from "../../model/submission-numbered.ts";

/** A submission, as the legacy API returns it. */
interface LegacySubmission {
  _id: string;
  form: string;
  createdAt: string;
  updatedAt: string;
  fields: SubmissionField[];
}

interface LegacyPage {
  form: string;
  results: number;
  pagination: {
    current_page: number;
    previous_page: number | null;
    next_page: number | null;
    total_page: number;
    total_submissions: number;
  };
  submissions: LegacySubmission[];
}

/** A numbered page in the shape of the legacy API. */
export function legacyPage(form: string, { data, page, limit, total }: NumberedPage): LegacyPage {
  const pages = Math.ceil(total / limit);
  return {
    form,
    results: data.length,
    pagination: {
      current_page: page,
      previous_page: page > 1 ? page - 1 : null,
      next_page: page < pages ? page + 1 : null,
      total_page: pages,
      total_submissions: total,
    },
    submissions: data.map(({ id, created_at, updated_at, fields }) => ({
      _id: id,
      form,
      createdAt: created_at,
      updatedAt: updated_at,
      fields,
    })),
  };
}
