/** An SMTP server that a team sends with; the password is sealed. */
export interface EmailServerRecord {
  team_id: string;
  name: string;
  host: string;
  port: number;
  secure: boolean;
  username: string;
  password: string;
  from: string;
  created_at: string;
}
