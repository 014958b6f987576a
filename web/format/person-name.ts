import type { Approval, Member } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

/** Returns first and last name of a member, or else the name to sign in with. */
export function memberName({ first_name: first, last_name: last, user_name: userName }: Member): string {
  return `${first} ${last}`.trim() || userName;
}

/** Returns first and last name of a person; of one who has left, that they are a former member. */
export function personName({ name }: Pick<Approval['asked_by'], 'name'>): string {
  return name ?? t('approvals.formerMember');
}
