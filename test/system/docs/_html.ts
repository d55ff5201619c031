import { type Block, whereIs } from "./_blocks.ts";

const VOID = new Set("area base br col hr img input link meta source wbr".split(" "));

/** Tags that are not closed, and forms that would send nothing: without a method, an address, or the encoding that files need. */
export function formFaults(block: Block): string[] {
  const html = block.code.replace(/<!--[\s\S]*?-->/g, "").replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, "$1</script>");
  return [...openTags(html), ...forms(html)].map((fault) => `${whereIs(block)} ${fault}`);
}

function openTags(html: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)(?:"[^"]*"|[^>"])*>/gi)) {
    const tag = name.toLowerCase();
    if (VOID.has(tag)) continue;
    if (!slash) open.push(tag);
    else if (open.pop() !== tag) return [`</${tag}> closes something else`];
  }
  return open.map((tag) => `<${tag}> is not closed`);
}

function forms(html: string): string[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, attributes = "", content = ""]) => [
    ...(/\bmethod="post"/i.test(attributes) ? [] : ["a form without method post"]),
    ...(/\baction="[^"]*\/f\/[^"]+"/.test(attributes) ? [] : ["a form that posts to no endpoint"]),
    ...(content.includes('type="file"') && !attributes.includes("multipart/form-data")
      ? ["files without multipart"]
      : []),
    ...(/<(button|input type="submit")/.test(content) || content.includes("…") || !content.includes("<input")
      ? []
      : ["a form without a button"]),
  ]);
}
