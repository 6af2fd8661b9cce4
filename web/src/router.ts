// Addresses of the application.

import { signal } from "@preact/signals";

/// The present address.
export const path = signal(location.pathname);

/// Goes to another page of ours.
export function go(to: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  path.value = location.pathname;
  if (how === "push") window.scrollTo(0, 0);
}

/// Follows links and the browser's own buttons.
export function beginRouting(): void {
  window.addEventListener("popstate", () => {
    path.value = location.pathname;
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element | null)?.closest("a");
    if (!link || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.hash !== "" && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
