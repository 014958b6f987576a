import type { Database } from '../database/statements.ts';
import type { Notifications } from '../database/listen.ts';
import { servePolled, type PolledLoopDeps } from '../database/work-poll.ts';
import { quarantine } from '../database/quarantine.ts';
import type { UserId } from '../database/schema.ts';
import { isDataError } from '../errors/database-errors.ts';
import { dropExpiredMails, dropMail, settleMail, claimDueMails, hasDueMails, type DueMail } from './mail-store.ts';
import type { MailLinks } from './mail-links.ts';
import { openMailServer, PermanentRejectionError, type MailSettings } from './open-mail-server.ts';
import { writeMail } from './mail-templates.ts';

const POLL_MS = 10_000;
/** Mails that one process begins to send at a time: mail servers let a client have few connections. */
const PERMITS = 2;

export interface SendMailsOptions extends PolledLoopDeps {
  db: Database;
  notifications: Pick<Notifications, 'on'>;
  links: MailLinks;
  /** Undefined: none is sent, and the log says which would have been. */
  mail: MailSettings | undefined;
}

/**
 * Sends queued mails (`queueMail`) until stopped: one at a time per user, users concurrently. Any number of processes may run it at once.
 * A slow mail, such as one to a slow domain, delays no other user's. A mail that the server does not accept is retried until it expires,
 * also after a crash: a mail in flight may then be sent twice. Neither an address nor a link is ever logged.
 */
export function sendMails(deps: SendMailsOptions): { stop(): Promise<void> } {
  const { db, log, notifications, links, mail } = deps;
  const server = mail && openMailServer(mail);

  async function claimNext(busy: readonly UserId[]): Promise<DueMail[]> {
    const due = await claimDueMails({ db, log }, busy);
    if (due.length > 0) return due;
    for (const lost of await dropExpiredMails({ db, log })) log.warn(lost, 'a mail expired before it could be sent');
    return [];
  }

  /** A mail that was sent, and cannot be written down as sent, keeps none of anybody else's, and is not sent again soon. */
  async function handleOrIsolate(due: DueMail): Promise<void> {
    try {
      await handle(due);
    } catch (error) {
      if (due.userId === null || !isDataError(error)) throw error;
      await quarantine({ db, log }, 'mails', { id: due.userId, error });
    }
  }

  async function handle(due: DueMail): Promise<void> {
    const { mailId, kind, userId, recipient, attempts } = due;
    if (recipient === null) return dropMail(db, mailId);
    if (!mail || !server) {
      log.info({ mailId, kind, userId }, 'a mail would have been sent: there is no SMTP_URL');
      return settleMail(db, due);
    }
    try {
      await server.send({ ...writeMail(due, links.codeOf(mailId), mail.publicUrl), recipient, mailId });
    } catch (error) {
      const isPermanent = error instanceof PermanentRejectionError;
      log.warn(
        { mailId, kind, userId, attempts, reason: reasonOf(error) },
        `a mail could not be sent${isPermanent ? '' : ' yet'}`,
      );
      if (isPermanent) await dropMail(db, mailId);
      return undefined;
    }
    log.info({ mailId, kind, userId }, 'a mail was sent');
    return settleMail(db, due);
  }

  const loop = servePolled<DueMail, UserId>(deps, {
    name: 'mails',
    isDue: hasDueMails,
    permits: PERMITS,
    pollMs: POLL_MS,
    atMostEveryMs: POLL_MS,
    claim: claimNext,
    keyOf: ({ userId }) => userId ?? undefined,
    serve: handleOrIsolate,
  });
  notifications.on('campanile_mails', () => loop.wake());
  return {
    async stop() {
      await loop.stop();
      server?.close();
    },
  };
}

/** Returns a code for the log: a mail server's message may contain the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof PermanentRejectionError ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  const parts = ['code' in cause ? cause.code : cause.name, 'responseCode' in cause ? cause.responseCode : undefined];
  return parts.filter((part) => part !== undefined).join(' ');
}
