import { fuzzTags } from "./_fuzz.ts";

fuzzTags(["Submissions", "Data subjects"]);
