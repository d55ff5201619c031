/** A visitor's file as it is stored; its bytes lie in the blob port under the row's id. */
export interface FileRecord {
  submission_id: string;
  form_id: string;
  team_id: string;
  /** The name of the form's field. */
  key: string;
  name: string;
  mime_type: string;
  /** Bytes. */
  size: number;
  created_at: string;
}
