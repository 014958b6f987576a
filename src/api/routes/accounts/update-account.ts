import type { SendWindow } from '../../../sending/accounts/send-window-rules.ts';
import { updateAccount } from '../../../sending/accounts/update-account.ts';
import { dayOfWarmUp, WARM_UP_CAPS } from '../../../sending/accounts/warm-up.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { updateAccountBody, updateAccountData } from '../../contract/update-account.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function updateAccountOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/update-account',
    access: 'bearer',
    scope: 'send',
    tag: 'Account',
    summary: 'Set quiet hours, a daily cap and a warm-up',
    description:
      'All are off unless set. What would be sent meanwhile waits, and nothing is lost by waiting but what the delivery rules give up anyway: what of a run has not been sent when the campaign’s next run falls due, and what of it could not be sent for 26 hours, since a day can have 25. With an empty body it answers what holds now.',
    body: updateAccountBody,
    data: updateAccountData,
    errors: [],
    async handle({ body, actor }) {
      const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
      const { quiet_hours, daily_cap, warm_up: warmUp } = body;
      const change = { quietHours: offOr(quiet_hours), dailyCap: offOr(daily_cap), warmUp };
      const rest = await updateAccount(deps, actor, change);
      const { quietHours, dailyCap, timeZone, sentToday, until } = rest;
      return {
        quiet_hours: quietHours,
        daily_cap: dailyCap,
        ...toWireWarmUp(rest),
        time_zone: timeZone,
        sent_today: sentToday,
        rests_until: until?.toString() ?? null,
      };
    },
  });
}

function toWireWarmUp({ warmUpFrom, today }: SendWindow) {
  if (!warmUpFrom) return {};
  const ends = warmUpFrom.add({ days: WARM_UP_CAPS.length });
  return {
    warm_up: { day: dayOfWarmUp(warmUpFrom, today), daily_caps: [...WARM_UP_CAPS], ends_on: ends.toString() },
  };
}
