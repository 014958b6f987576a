import { translatorFor } from '../i18n/load-messages.ts';
import type { Translate } from '../i18n/translator.ts';
import type { MailKind } from '../database/schema.ts';
import { breakAddresses } from './break-addresses.ts';
import type { DueMail } from './mail-store.ts';

/** The content of a mail, as plain text. */
export interface MailContent {
  subject: string;
  text: string;
}

interface Context {
  t: Translate;
  user: string;
  /** What people have written, a line each. */
  names: readonly string[];
  /** What the service has written, such as the address of a client. */
  detail: string;
  /** Returns the address of a dashboard page that takes the mail's code. */
  link(page: string): string;
  /** The dashboard. */
  home: string;
}

const TEMPLATES: Readonly<Record<MailKind, (context: Context) => MailContent>> = {
  verification: ({ t, user, link }) => ({
    subject: t('mails.verification.subject'),
    text: t('mails.verification.text', { user, link: link('verify-email') }),
  }),
  reset: ({ t, user, link }) => ({
    subject: t('mails.reset.subject'),
    text: t('mails.reset.text', { user, link: link('reset-password') }),
  }),
  invitation: ({ t, link }) => ({
    subject: t('mails.invitation.subject'),
    text: t('mails.invitation.text', { link: link('accept-invite') }),
  }),
  workspace_invitation: ({ t, names: [inviter = '', workspace = ''], link }) => {
    return {
      subject: t('mails.workspaceInvitation.subject', { workspace }),
      text: t('mails.workspaceInvitation.text', { inviter, workspace, link: link('join') }),
    };
  },
  new_sign_in: ({ t, user, detail: address, home }) => ({
    subject: t('mails.newSignIn.subject'),
    text: t('mails.newSignIn.text', { user, address, link: home }),
  }),
  password_changed: ({ t, user, home }) => ({
    subject: t('mails.passwordChanged.subject'),
    text: t('mails.passwordChanged.text', { user, link: home }),
  }),
  factors_changed: ({ t, user, home }) => ({
    subject: t('mails.factorsChanged.subject'),
    text: t('mails.factorsChanged.text', { user, link: home }),
  }),
  notice: ({ t, names: [notice = ''], detail, home }) => {
    const [, page = '/'] = detail.split('\n');
    const links = { link: `${home}${page.slice(1)}`, settings: `${home}settings#notices` };
    return { subject: notice, text: t('mails.notice.text', { notice, ...links }) };
  },
};

/**
 * `publicUrl` is where the dashboard is. The code stands behind a `#`, so that no server or proxy ever writes it into a log. People
 * choose the names in a mail: no address in them becomes a link.
 */
export function writeMail({ kind, userName, language, detail }: DueMail, code: string, publicUrl: string): MailContent {
  const { subject, text } = TEMPLATES[kind]({
    t: translatorFor(language),
    user: breakAddresses(userName ?? ''),
    names: detail.split('\n').map(breakAddresses),
    detail,
    link: (page) => `${publicUrl}/${page}#${code}`,
    home: `${publicUrl}/`,
  });
  return { subject, text: `${text}\n` };
}
