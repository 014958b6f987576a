import { GIVEN_ROLES } from '../../src/workspaces/members/roles.ts';
import type { GivenRole } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

/** The roles that a member can have, for a select. */
export function roleOptions(): Array<{ value: GivenRole; label: string }> {
  return GIVEN_ROLES.map((value) => ({ value, label: t(`members.roles.${value}`) }));
}
