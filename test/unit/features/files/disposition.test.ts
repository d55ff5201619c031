import { expect, it } from "vitest";
import { contentDisposition } from "../../../../src/lib/content-disposition.ts";

it.each([
  ["cv.pdf", "attachment; filename=\"cv.pdf\"; filename*=UTF-8''cv.pdf"],
  ['a"; x="b.txt', "attachment; filename=\"a_; x=_b.txt\"; filename*=UTF-8''a%22%3B%20x%3D%22b.txt"],
  ["a\\b%41.txt", "attachment; filename=\"a_b_41.txt\"; filename*=UTF-8''a%5Cb%2541.txt"],
  ["a\r\nX-B: c.txt", "attachment; filename=\"a__X-B: c.txt\"; filename*=UTF-8''a%0D%0AX-B%3A%20c.txt"],
  [
    "Lebenslauf ü (1)'.pdf",
    "attachment; filename=\"Lebenslauf _ (1)'.pdf\"; filename*=UTF-8''Lebenslauf%20%C3%BC%20%281%29%27.pdf",
  ],
])("%j is named so that no header ends early", (name, header) => {
  expect(contentDisposition(name)).toBe(header);
});
