/** The pages that links in mails lead to, and the one that asks for such a mail, with the key of their messages. */
export const LINK_PAGES = {
  '/forgot-password': 'forgot',
  '/reset-password': 'reset',
  '/verify-email': 'verify',
  '/accept-invite': 'accept',
} as const;

export type LinkPath = keyof typeof LINK_PAGES;

/** Whether the page at `path` is the same whoever is signed in. */
export function isForEverybody(path: string): path is LinkPath {
  return Object.hasOwn(LINK_PAGES, path);
}
