import type { Connection } from '../platform/database/statements.ts';
import type { MailKind } from '../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../platform/errors/errors.ts';
import type { MailLinks } from '../platform/mail/mail-links.ts';
import { consumeMailToken, type UsedMail } from '../platform/mail/mail-store.ts';

/**
 * Consumes the code of a link, in the transaction of the action that it permits. Throws `invalid` on `code` when it is unknown, used or
 * expired.
 */
export async function consumeCode(
  trx: Connection,
  links: MailLinks,
  { code, kind }: { code: string; kind: MailKind },
): Promise<UsedMail & { recipient: string }> {
  const used = await consumeMailToken(trx, requireMailId(links, code), kind);
  if (!used || used.recipient === null) throw badCode();
  return { ...used, recipient: used.recipient };
}

/** Returns the mail id in a code. Verifies the code's signature without the database, so that invented codes are rejected cheaply. */
export function requireMailId(links: MailLinks, code: string): string {
  const mailId = links.mailIdOf(code);
  if (mailId === undefined) throw badCode();
  return mailId;
}

export function badCode(): AppError {
  return invalid([fieldError('code', 'void_link')]);
}
