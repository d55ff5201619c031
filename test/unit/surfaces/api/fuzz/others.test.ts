import { fuzzTags } from "./_fuzz.ts";

fuzzTags(["Forms", "Recipients", "Images", "Submissions", "Data subjects"], false);
