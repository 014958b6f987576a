import type { MailKind } from '../database/schema.ts';
import type { DueMail } from './mail-store.ts';

/** The content of a mail, as plain text. */
export interface MailContent {
  subject: string;
  text: string;
}

interface MailContext {
  userName: string;
  detail: string;
  /** Returns the URL of a dashboard page with the mail's code. */
  link(page: string): string;
  /** The dashboard. */
  home: string;
}

const NOT_ME =
  'If that was not you, set a new password at once: whoever knows the old one is then signed out everywhere.';

const TEMPLATES: Readonly<Record<MailKind, (context: MailContext) => { subject: string; lines: string[] }>> = {
  verification: ({ userName, link }) => ({
    subject: 'Confirm your e-mail address',
    lines: [
      `Somebody signed up for Campanile as ${userName} with this address. Open this link within three days to confirm that it is yours:`,
      link('verify-email'),
      'If you did not sign up, do nothing.',
    ],
  }),
  reset: ({ userName, link }) => ({
    subject: 'Set a new password',
    lines: [
      `Somebody asked to set a new password for ${userName}. Open this link within 30 minutes to do so; it works once:`,
      link('reset-password'),
      'If you did not ask for it, do nothing: your password stays as it is.',
    ],
  }),
  invitation: ({ link }) => ({
    subject: 'You are invited to Campanile',
    lines: [
      'You are invited to send messaging campaigns with Campanile. Open this link within seven days to sign up; it works once:',
      link('accept-invite'),
    ],
  }),
  new_sign_in: ({ userName, detail, home }) => ({
    subject: 'A new sign-in to your account',
    lines: [
      `Somebody signed in as ${userName} from ${detail}, where you have not signed in from before.`,
      NOT_ME,
      home,
    ],
  }),
  password_changed: ({ userName, home }) => ({
    subject: 'Your password was changed',
    lines: [`The password of ${userName} was changed.`, NOT_ME, home],
  }),
  factors_changed: ({ userName, home }) => ({
    subject: 'Your second factor was changed',
    lines: [`What ${userName} is asked for beside the password was changed.`, NOT_ME, home],
  }),
  notice: ({ detail, home }) => {
    const [subject = '', page = '/'] = detail.split('\n');
    return {
      subject,
      lines: [
        subject,
        `${home}${page.slice(1)}`,
        `You get this mail since you want to be told of it by e-mail. Settings, Notices, is where you turn that off: ${home}settings#notices`,
      ],
    };
  },
};

/** `publicUrl` is where the dashboard is. The code stands behind a `#`, so that no server or proxy ever writes it into a log. */
export function writeMail({ kind, userName, detail }: DueMail, code: string, publicUrl: string): MailContent {
  const { subject, lines } = TEMPLATES[kind]({
    userName: userName ?? '',
    detail,
    link: (page) => `${publicUrl}/${page}#${code}`,
    home: `${publicUrl}/`,
  });
  return { subject, text: `${lines.join('\n\n')}\n` };
}
