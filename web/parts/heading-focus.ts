import { useLayoutEffect, useRef } from 'react';

/** What had the focus when the address changed last, such as the link or the menu item that led to the page. */
let leftFrom: Element | null = null;

/** Remembers what has the focus whenever the address changes. */
export function useFocusBeforeNavigation(path: string): void {
  const before = useRef(path);
  useLayoutEffect(() => {
    if (before.current === path) return;
    before.current = path;
    leftFrom = document.activeElement;
  });
}

/**
 * Returns whether the heading of a page that has just opened may take the focus. A page can load slowly: what a user has focused since the
 * address changed keeps the focus.
 */
export function mayHeadingTakeFocus(): boolean {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body || activeElement === leftFrom) return true;
  // A menu or dialog that led here has given the focus back to its button.
  return leftFrom !== null && leftFrom !== body && activeElement.closest('nav') !== null;
}
