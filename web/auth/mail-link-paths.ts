/** The pages of links in mails, and of asking for one, each with the key of its texts. */
export const MAIL_LINK_PAGES = {
  '/forgot-password': 'forgot',
  '/reset-password': 'reset',
  '/verify-email': 'verify',
  '/accept-invite': 'accept',
} as const;

export type MailLinkPath = keyof typeof MAIL_LINK_PAGES;

/** Returns whether the page at `path` is independent of the session. */
export function isMailLinkPath(path: string): path is MailLinkPath {
  return Object.hasOwn(MAIL_LINK_PAGES, path);
}
