import type { Database } from '../../platform/database/connect.ts';
import { addAccount, type AddAccountDeps } from '../../sending/accounts/add-account.ts';
import { readAccountHistory } from '../../sending/accounts/account-history.ts';
import { readAccountStatus, type AccountState } from '../../sending/accounts/account-status.ts';
import { connectAccount, type AccountDeps, type ConnectDeps } from '../../sending/accounts/connect-account.ts';
import { disconnectAccount } from '../../sending/accounts/disconnect-account.ts';
import { listAccounts, type ListedAccount } from '../../sending/accounts/list-accounts.ts';
import { setDefaultAccount } from '../../sending/accounts/set-default-account.ts';
import { removeAccount } from '../../sending/accounts/remove-account.ts';
import type { SendWindow } from '../../sending/accounts/send-window-rules.ts';
import { submitPasskey } from '../../sending/accounts/submit-passkey.ts';
import { warmUpGap, type Gaps, type Range } from '../../sending/deliveries/pace.ts';
import { updateAccount } from '../../sending/accounts/update-account.ts';
import { dayOfWarmUp, WARM_UP_CAPS } from '../../sending/accounts/warm-up.ts';
import { requirePhoneDigits } from '../../identity/phone-number.ts';
import type { AccountId, Role } from '../../platform/database/schema.ts';
import type { accounts } from '../contract/accounts.ts';
import type { Handlers } from '../operation.ts';
import { requireRole } from '../server/auth.ts';
import { toAccountEvent, toWireCode } from './live-events.ts';

export type AccountHandlerDeps = ConnectDeps &
  AccountDeps &
  AddAccountDeps & { db: Database; timeZone: string; gaps: Gaps };

export const accountHandlers: Handlers<typeof accounts, AccountHandlerDeps> = {
  async updateAccount(deps, { body, actor }) {
    const { account_id, ...wanted } = body;
    if (Object.values(wanted).some((value) => value !== undefined)) requireRole(actor, 'owner');
    const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
    const { quiet_hours, daily_cap, mention_all_cap: mentionAllCap, weekly_posts, warm_up: warmUp } = wanted;
    const change = {
      accountId: account_id as AccountId | undefined,
      name: wanted.name,
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
      account_id: window.accountId,
      name: window.name,
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
    const { account_id, messenger, method, warm_up: warmUp } = body;
    const accountId = account_id as AccountId | undefined;
    return toLinkState(await connectAccount(deps, actor, { accountId, messenger, method, warmUp }));
  },

  async submitPasskey(deps, { body, actor }) {
    const { account_id, assertion } = body;
    return toLinkState(await submitPasskey(deps, actor, { accountId: account_id as AccountId | undefined, assertion }));
  },

  async accountStatus(deps, { body, actor }) {
    const state = await readAccountStatus(deps, actor, body.account_id as AccountId | undefined);
    if (!body.with_history) return toAccountEvent(state, actor.role);
    const history = await readAccountHistory(deps, state.accountId);
    return {
      ...toAccountEvent(state, actor.role),
      number_fixed: state.isNumberFixed,
      history: history.map(({ at, ...past }) => ({ at: at.toISOString(), ...past })),
    };
  },

  async listAccounts(deps, { actor }) {
    const listed = await listAccounts(deps, actor);
    return { accounts: listed.map((account) => toWireAccount(account, actor.role)) };
  },

  async addAccount(deps, { body, actor }) {
    const { name, messenger, whatsapp_number: written } = body;
    const number =
      written === undefined ? undefined : { written, digits: requirePhoneDigits('whatsapp_number', written) };
    return toWireAccount(await addAccount(deps, actor, { name, messenger, number }), actor.role);
  },

  async setDefaultAccount(deps, { body, actor }) {
    await setDefaultAccount(deps, actor, body.account_id as AccountId);
    return {};
  },

  async removeAccount(deps, { body, actor }) {
    await removeAccount(deps, actor, body.account_id as AccountId);
    return {};
  },

  async disconnectAccount(deps, { body, actor }) {
    const { accountId, status } = await disconnectAccount(deps, actor, body.account_id as AccountId | undefined);
    return { account_id: accountId, status };
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

function toLinkState(state: AccountState) {
  return { account_id: state.accountId, status: state.status, ...toWireCode(state) };
}

function toWireAccount(account: ListedAccount, role: Role) {
  return {
    ...toAccountEvent(account, role),
    name: account.name,
    down_since: account.downSince?.toISOString() ?? null,
    groups: account.groups,
    groups_can_send: account.groupsCanSend,
    queued: account.queued,
    sent_today: account.sentToday,
    daily_cap: account.dailyCap,
  };
}
