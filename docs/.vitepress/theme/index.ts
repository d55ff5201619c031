import theme from "vitepress/theme-without-fonts";
import { onMounted } from "vue";
import "./style.css";

/**
 * A group of the sidebar is a button, and the theme puts a second button into it, its arrow: assistive technology can't reach
 * one inside another. The group does the same on Enter, so the arrow becomes a picture.
 */
function mendSidebar(): void {
  for (const arrow of document.querySelectorAll('.item[role="button"] > .caret[role="button"]')) {
    for (const name of ["role", "tabindex", "aria-label"]) arrow.removeAttribute(name);
    arrow.setAttribute("aria-hidden", "true");
  }
}

export default {
  ...theme,
  setup(): void {
    onMounted(() => {
      mendSidebar();
      new MutationObserver(mendSidebar).observe(document.body, { childList: true, subtree: true });
    });
  },
};
