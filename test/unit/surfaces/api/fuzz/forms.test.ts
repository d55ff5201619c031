import { fuzzTags } from "./_fuzz.ts";

fuzzTags(["Forms", "Recipients", "Images"]);
