/** The first list of groups reads those of each account. */
import { execute } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const app = await useTestApp();

interface Listed {
  groups: Array<{ can_send: boolean; accounts: Array<{ account_id: AccountId; can_send: boolean }> }>;
}

test('a list of groups reads those of every account that was never read, and says which of them may post', async () => {
  const ada = await app.signUp('ada');
  const list = async () => (await ada.call<Listed>('venom/list-groups', { with_accounts: true })).body.data.groups;
  expect(await list()).toHaveLength(3);
  const added = await ada.call<{ account_id: AccountId }>('venom/add-account', { name: 'Backup' });
  const second = added.body.data.account_id;
  const groups = await until(list, (some) => some.every(({ accounts }) => accounts.length === 2));
  expect(groups).toHaveLength(3);
  const { db } = app.database;
  await execute(db)`update group_accounts set can_send = account_id = ${second} where group_id in (
    select group_id from group_accounts where account_id = ${second})`;
  for (const { can_send, accounts } of await list()) {
    expect(can_send).toBe(true);
    expect(accounts.filter((one) => one.can_send).map(({ account_id }) => account_id)).toEqual([second]);
  }
});
