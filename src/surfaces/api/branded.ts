export { branded } from "../../features/teams/face.ts";
