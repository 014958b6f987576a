import type { Database } from '../../platform/database/connect.ts';
import { readAccountHistory } from '../../sending/accounts/account-history.ts';
import { readAccountStatus } from '../../sending/accounts/account-status.ts';
import { connectAccount, type AccountDeps, type ConnectDeps } from '../../sending/accounts/connect-account.ts';
import { disconnectAccount } from '../../sending/accounts/disconnect-account.ts';
import type { SendWindow } from '../../sending/accounts/send-window-rules.ts';
import { submitPasskey } from '../../sending/accounts/submit-passkey.ts';
import { warmUpGap, type Gaps, type Range } from '../../sending/deliveries/pace.ts';
import { updateAccount } from '../../sending/accounts/update-account.ts';
import { dayOfWarmUp, WARM_UP_CAPS } from '../../sending/accounts/warm-up.ts';
import type { accounts } from '../contract/accounts.ts';
import type { Handlers } from '../operation.ts';
import { requireRole } from '../server/auth.ts';
import { toAccountEvent, toWireCode } from './live-events.ts';

export type AccountHandlerDeps = ConnectDeps & AccountDeps & { db: Database; timeZone: string; gaps: Gaps };

export const accountHandlers: Handlers<typeof accounts, AccountHandlerDeps> = {
  async updateAccount(deps, { body, actor }) {
    if (Object.values(body).some((value) => value !== undefined)) requireRole(actor, 'owner');
    const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
    const { quiet_hours, daily_cap, mention_all_cap: mentionAllCap, weekly_posts, warm_up: warmUp } = body;
    const change = {
      quietHours: offOr(quiet_hours),
      dailyCap: offOr(daily_cap),
      mentionAllCap,
      weeklyPosts: offOr(weekly_posts),
      warmUp,
    };
    const window = await updateAccount(deps, actor, change);
    const { quietHours, dailyCap, timeZone, sentToday, until, reason } = window;
    const gap = warmUpGap(deps.gaps[window.messenger] ?? { minMs: 0, maxMs: 0 });
    return {
      quiet_hours: quietHours,
      daily_cap: dailyCap,
      mention_all_cap: window.mentionAllCap,
      weekly_posts: window.weeklyPosts,
      ...toWireWarmUp(window, gap),
      time_zone: timeZone,
      sent_today: sentToday,
      rests_until: until?.toString() ?? null,
      ...(reason && { rest_reason: reason }),
    };
  },

  async connectAccount(deps, { body, actor }) {
    const { messenger, method, warm_up: warmUp } = body;
    const state = await connectAccount(deps, actor, { messenger, method, warmUp });
    return { status: state.status, ...toWireCode(state) };
  },

  async submitPasskey(deps, { body, actor }) {
    const state = await submitPasskey(deps, actor, body.assertion);
    return { status: state.status, ...toWireCode(state) };
  },

  async accountStatus(deps, { body, actor }) {
    const state = await readAccountStatus(deps, actor);
    if (!body.with_history) return toAccountEvent(state, actor.role);
    const history = await readAccountHistory(deps, actor);
    return {
      ...toAccountEvent(state, actor.role),
      number_fixed: state.isNumberFixed,
      history: history.map(({ at, ...past }) => ({ at: at.toISOString(), ...past })),
    };
  },

  async disconnectAccount(deps, { actor }) {
    const { status } = await disconnectAccount(deps, actor);
    return { status };
  },
};

function toWireWarmUp({ warmUpFrom, today }: SendWindow, { minMs, maxMs }: Range) {
  if (!warmUpFrom) return {};
  const ends = warmUpFrom.add({ days: WARM_UP_CAPS.length });
  return {
    warm_up: {
      day: dayOfWarmUp(warmUpFrom, today),
      daily_caps: [...WARM_UP_CAPS],
      ends_on: ends.toString(),
      gap_seconds: { min: minMs / 1_000, max: maxMs / 1_000 },
    },
  };
}
