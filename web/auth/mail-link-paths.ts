/** What links in mails lead to, and what asks for one; by what the words for it are kept under. */
export const MAIL_LINK_PAGES = {
  '/forgot-password': 'forgot',
  '/reset-password': 'reset',
  '/verify-email': 'verify',
  '/accept-invite': 'accept',
} as const;

export type MailLinkPath = keyof typeof MAIL_LINK_PAGES;

/** Whether the page at `path` is the same whoever is signed in. */
export function isMailLinkPath(path: string): path is MailLinkPath {
  return Object.hasOwn(MAIL_LINK_PAGES, path);
}
