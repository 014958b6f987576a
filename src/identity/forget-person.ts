import { execute, type Connection } from '../platform/database/statements.ts';
import { LANGUAGE_TAGS } from '../platform/i18n/languages.ts';
import { translatorFor } from '../platform/i18n/load-messages.ts';
import { plainName } from '../workspaces/approval/plain-name.ts';
import type { User } from './store.ts';

/**
 * Removes the name and the address of a deleted user from what others have written: the subject of administrators' audit entries,
 * invitations and mails to the address, and the line of review posts that says who asked. The condition on `action` is that of the
 * index audit_log_named.
 */
export async function forgetPerson(
  trx: Connection,
  { userId, userName, email }: Pick<User, 'userId' | 'userName' | 'email'>,
): Promise<void> {
  await execute(trx)`
    update audit_log set subject = ''
    where lower(subject) in (lower(${userName}), lower(${email}))
      and action in ('user.invited', 'user.disabled', 'user.enabled', 'user.factors_reset', 'user.made_admin', 'user.password_reset')`;
  await execute(trx)`delete from invitations where lower(email) = lower(${email})`;
  await execute(trx)`delete from mails where user_id is null and lower(recipient) = lower(${email})`;
  for (const language of LANGUAGE_TAGS) {
    const t = translatorFor(language);
    const askedBy = (name: string) => t('approvals.askedBy', { name });
    const anonymous = askedBy(t('approvals.formerMember'));
    // Posts of earlier versions have the name as it is.
    for (const line of new Set([userName, plainName(userName)].map(askedBy)))
      await execute(trx)`
        update contents c set text = replace(text, ${line}, ${anonymous}), html = replace(html, ${line}, ${anonymous})
        from approval_reviews v
        where v.asked_by = ${userId} and c.campaign_id = v.campaign_id and strpos(c.text, ${line}) > 0`;
  }
}
