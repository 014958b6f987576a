/** The SQL of mails. */
import {
  execute,
  hasRow,
  readColumn,
  readOne,
  readRow,
  readRows,
  sql,
  type RawBuilder,
  type Connection,
} from '../database/statements.ts';
import { isolateStatement, ownedBy } from '../database/isolate-statement.ts';
import { claimDueRows, hasDueRows, type Outbox } from '../database/outbox.ts';
import type { QuarantineDeps } from '../database/quarantine.ts';
import type { MailKind, UserId } from '../database/schema.ts';
import { knownLanguage, type Language } from '../i18n/languages.ts';
import { notifyAfterCommit } from '../database/notify-after-commit.ts';

/** A mail to send: to a user, to an invited person, or to the owner of a login that a stranger entered. */
export type NewMail =
  | { kind: 'invitation'; recipient: string; invitedBy: UserId }
  /** `detail` has the name of the inviter and that of the workspace, a line each. */
  | { kind: 'workspace_invitation'; recipient: string; invitedBy: UserId; detail: string }
  | { kind: 'reset'; login: string }
  | { kind: 'new_sign_in' | 'notice'; userId: UserId; detail: string }
  | { kind: 'verification' | 'password_changed' | 'factors_changed'; userId: UserId };

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** After how many seconds a mail is not sent any more, and its link is void. */
const LIFETIME_SECONDS: Readonly<Record<MailKind, number>> = {
  reset: 30 * MINUTE,
  verification: 3 * DAY,
  invitation: 7 * DAY,
  workspace_invitation: 7 * DAY,
  new_sign_in: 3 * DAY,
  password_changed: 3 * DAY,
  factors_changed: 3 * DAY,
  notice: DAY,
};

/**
 * Transactional outbox: queues a mail, which is sent after the transaction commits. Call it in the transaction of the change that the mail
 * reports. Returns the mail's id, from which its link is made. An invitation replaces an earlier one to the same address.
 */
export async function queueMail(trx: Connection, mail: NewMail): Promise<string> {
  const row = { userId: null, login: null, recipient: null, detail: '', invitedBy: null, ...mail };
  if (mail.kind === 'invitation') await dropInvitation(trx, mail.recipient);
  const { mailId } = await readOne<{ mailId: string }>(trx)`
    insert into mails (kind, user_id, login, recipient, detail, language, expires_at)
    values (${mail.kind}, ${row.userId}, ${row.login}, ${row.recipient}, ${row.detail},
            (select language from users where user_id = ${row.invitedBy}::bigint),
            campanile_now() + ${LIFETIME_SECONDS[mail.kind]} * interval '1 second')
    returning mail_id as "mailId"`;
  await notifyAfterCommit(trx, 'campanile_mails');
  return mailId;
}

/** A mail whose turn it is. */
export interface DueMail {
  mailId: string;
  kind: MailKind;
  userId: UserId | null;
  /** null: the mail has no recipient any more. */
  recipient: string | null;
  /** Of the user; null: of an invitation. */
  userName: string | null;
  /** Of the user; of an invitation, of the user who invites. */
  language: Language;
  detail: string;
  attempts: number;
}

const OWNER = sql<UserId | null>`
  coalesce(q.user_id, (select l.user_id from user_logins l where l.login = q.login))`;
const IS_RECIPIENT = sql`u.deleted_at is null and u.disabled_at is null`;

/** The recipient is looked up when the mail is claimed. */
const OUTBOX: Outbox = {
  batch: 'mails',
  table: 'mails',
  key: 'mail_id',
  isUnsent: sql`q.sent_at is null and q.expires_at > campanile_now()`,
  owner: OWNER,
  set: sql`user_id = ${OWNER},
    recipient = coalesce((select u.email from users u where u.user_id = ${OWNER} and ${IS_RECIPIENT}), q.recipient)`,
  columns: sql`
    q.mail_id as "mailId", q.kind, q.user_id as "userId", q.detail, q.tries as attempts, u.user_name as "userName",
    coalesce(u.language, q.language) as language,
    case when q.kind in ('invitation', 'workspace_invitation') then q.recipient else u.email end as recipient`,
  joins: sql`left join users u on u.user_id = q.user_id and ${IS_RECIPIENT}`,
};

/** The condition that a mail is to be sent, or has expired. */
export function hasDueMails(): RawBuilder<boolean> {
  return sql`(${hasDueRows(OUTBOX)} or exists (select from mails where expires_at <= campanile_now()))`;
}

/** Claims the mail that is due longest, of nobody who is `busy`. None: none is due, or the ledger is held. */
export async function claimDueMails(deps: QuarantineDeps, busy: readonly UserId[] = []): Promise<DueMail[]> {
  const mails = await claimDueRows<DueMail & { language: string | null }>(deps, OUTBOX, { limit: 1, busy });
  return mails.map((mail) => ({ ...mail, language: knownLanguage(mail.language) }));
}

/**
 * A mail without a link is done with when it has been sent; one with a link stays for as long as that serves. The invitation to a
 * workspace has a row of its own.
 */
export async function settleMail(db: Connection, { mailId, kind }: Pick<DueMail, 'mailId' | 'kind'>): Promise<void> {
  if (kind === 'verification' || kind === 'reset' || kind === 'invitation')
    await execute(db)`update mails set sent_at = campanile_now() where mail_id = ${mailId}`;
  else await dropMail(db, mailId);
}

export async function dropMail(db: Connection, mailId: string): Promise<void> {
  await execute(db)`delete from mails where mail_id = ${mailId}`;
}

/** Deletes expired mails. Returns those that were tried and never sent. */
export async function dropExpiredMails(deps: QuarantineDeps): Promise<Array<{ mailId: string; kind: MailKind }>> {
  const { db } = deps;
  const dropped = await isolateStatement(deps, 'expired mails', {
    findOwners: () =>
      readColumn<number>(db)`
        select distinct user_id as id from mails where expires_at <= campanile_now() and user_id is not null`,
    run: (owners) =>
      readRows<{ mailId: string; kind: MailKind; unsent: boolean }>(db)`
        delete from mails where expires_at <= campanile_now() and ${ownedBy('user_id', owners)}
        returning mail_id as "mailId", kind, sent_at is null and tries > 0 as unsent`,
  });
  return dropped.flat().filter(({ unsent }) => unsent);
}

/** A mail whose link was opened. */
export interface UsedMail {
  /** null: of an invitation. */
  userId: UserId | null;
  /** The address that the mail was sent to: opening its link proves access to that mailbox. */
  recipient: string | null;
}

/** Uses the link of a mail up: of two that come with the same at once one gets it. Undefined for one that is used, expired, or of another kind. */
export async function consumeMailToken(trx: Connection, mailId: string, kind: MailKind): Promise<UsedMail | undefined> {
  return readRow<UsedMail>(trx)`
    delete from mails where mail_id = ${mailId} and kind = ${kind} and expires_at > campanile_now()
    returning user_id as "userId", recipient`;
}

/** The other links of this kind that a user was sent are void from now on. */
export async function dropMailsOf(trx: Connection, userId: UserId, kind: MailKind): Promise<void> {
  await execute(trx)`delete from mails where user_id = ${userId} and kind = ${kind}`;
}

export interface Invitation {
  email: string;
  expiresAt: Date;
}

/** Returns the open invitations, newest first. */
export async function selectInvitations(db: Connection): Promise<Invitation[]> {
  return readRows<Invitation>(db)`
    select recipient as email, expires_at as "expiresAt" from mails
    where kind = 'invitation' and expires_at > campanile_now() order by expires_at desc limit 1000`;
}

/** False when there was none. */
export async function dropInvitation(trx: Connection, email: string): Promise<boolean> {
  return hasRow(trx)`
    delete from mails where kind = 'invitation' and lower(recipient) = lower(${email}) returning 1`;
}
