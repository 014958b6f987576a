import type { Database } from '../../platform/database/statements.ts';
import { addAccount, type AddAccountDeps } from '../../sending/accounts/add-account.ts';
import { readAccountHistory } from '../../sending/accounts/account-history.ts';
import { readAccountStatus } from '../../sending/accounts/account-status.ts';
import {
  connectAccount,
  disconnectAccount,
  submitPasskey,
  type AccountDeps,
  type ConnectDeps,
} from '../../sending/accounts/connect-account.ts';
import { listAccounts } from '../../sending/accounts/list-accounts.ts';
import { setDefaultAccount, updateAccount } from '../../sending/accounts/update-account.ts';
import { removeAccount } from '../../sending/accounts/remove-account.ts';
import type { SendWindow } from '../../sending/accounts/send-window-rules.ts';
import { warmUpGap, type Gaps, type Range } from '../../sending/deliveries/pace.ts';
import { dayOfWarmUp, WARM_UP_CAPS } from '../../sending/accounts/warm-up.ts';
import { requirePhoneDigits } from '../../platform/phone/phone-number.ts';
import type { accounts } from '../contract/accounts.ts';
import type { Handlers } from '../operation.ts';
import { requireRole } from '../server/auth.ts';
import { accountFor } from './live-events.ts';

export type AccountHandlerDeps = ConnectDeps &
  AccountDeps &
  AddAccountDeps & { db: Database; timeZone: string; gaps: Gaps };

export const accountHandlers: Handlers<typeof accounts, AccountHandlerDeps> = {
  async updateAccount(deps, { body, actor }) {
    if (Object.keys(body).some((name) => name !== 'accountId')) requireRole(actor, 'owner');
    const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
    const window = await updateAccount(deps, actor, {
      ...body,
      quietHours: offOr(body.quietHours),
      dailyCap: offOr(body.dailyCap),
      weeklyPosts: offOr(body.weeklyPosts),
    });
    const gap = warmUpGap(deps.gaps[window.messenger] ?? { minMs: 0, maxMs: 0 });
    return {
      ...window,
      warmUp: describeWarmUp(window, gap),
      restsUntil: window.until?.toString(),
      restReason: window.reason,
    };
  },

  connectAccount: (deps, { body, actor }) => connectAccount(deps, actor, body),

  submitPasskey: (deps, { body, actor }) => submitPasskey(deps, actor, body),

  async accountStatus(deps, { body, actor }) {
    const state = await readAccountStatus(deps, actor, body.accountId);
    const shown = accountFor(actor.role, state);
    if (!body.withHistory) return shown;
    return { ...shown, numberFixed: state.isNumberFixed, history: await readAccountHistory(deps, state.accountId) };
  },

  async listAccounts(deps, { body, actor }) {
    const listed = await listAccounts(deps, actor, body);
    const accounts = listed.map((account) => accountFor(actor.role, account));
    return { accounts: accounts.map((one) => ({ ...one, metadata: body.withMetadata ? one.metadata : null })) };
  },

  async addAccount(deps, { body, actor }) {
    const { whatsappNumber: written } = body;
    const number =
      written === undefined ? undefined : { written, digits: requirePhoneDigits('whatsapp_number', written) };
    return accountFor(actor.role, await addAccount(deps, actor, { ...body, number }));
  },

  setDefaultAccount: (deps, { body, actor }) => setDefaultAccount(deps, actor, body.accountId),

  removeAccount: (deps, { body, actor }) => removeAccount(deps, actor, body.accountId),

  disconnectAccount: (deps, { body, actor }) => disconnectAccount(deps, actor, body.accountId),
};

function describeWarmUp({ warmUpFrom, today }: SendWindow, { minMs, maxMs }: Range) {
  if (!warmUpFrom) return undefined;
  return {
    day: dayOfWarmUp(warmUpFrom, today),
    dailyCaps: WARM_UP_CAPS,
    endsOn: warmUpFrom.add({ days: WARM_UP_CAPS.length }).toString(),
    gapSeconds: { min: minMs / 1_000, max: maxMs / 1_000 },
  };
}
