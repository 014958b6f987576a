import { updateAccount } from '../../../accounts/update-account.ts';
import type { Database } from '../../../database/connect.ts';
import { updateAccountBody, updateAccountData } from '../../contract/update-account.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function updateAccountOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/update-account',
    access: 'bearer',
    scope: 'send',
    tag: 'Account',
    summary: 'Set quiet hours and a daily cap',
    description:
      'Both are off unless set. What would be sent meanwhile waits, and nothing is lost by waiting but what the delivery rules give up anyway: what of a run has not been sent when the campaign’s next run falls due, and what of it could not be sent for 24 hours. With an empty body it answers what holds now.',
    body: updateAccountBody,
    data: updateAccountData,
    errors: [],
    async handle({ body, actor }) {
      const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
      const change = { quietHours: offOr(body.quiet_hours), dailyCap: offOr(body.daily_cap) };
      const { quietHours, dailyCap, timeZone, sentToday, until } = await updateAccount(deps, actor, change);
      return {
        quiet_hours: quietHours,
        daily_cap: dailyCap,
        time_zone: timeZone,
        sent_today: sentToday,
        rests_until: until?.toString() ?? null,
      };
    },
  });
}
