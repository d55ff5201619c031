/** For the pages of the inbox. */
export { branded } from "../../features/teams/face.ts";
