/** A campaign of a workspace with two accounts on the sandbox, by the API. */
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface Share {
  account_id: AccountId;
  deliveries: number;
  sent: number;
  queued: number;
}

let people = 0;

async function signUpWithTwoAccounts() {
  const ada = await app.signUp(`ada${++people}`);
  const listed = await ada.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const groupIds = listed.body.data.groups.map((group) => group.group_metadata_id);
  const added = await ada.call<{ account_id: AccountId }>('venom/add-account', {
    name: 'Backup',
    messenger: 'sandbox',
  });
  const second = added.body.data.account_id;
  await ada.call('venom/connect-account', { account_id: second });
  await ada.call('venom/sync-groups', { account_id: second });
  const accounts = await ada.call<{ accounts: Array<{ account_id: AccountId; is_default: boolean }> }>(
    'venom/list-accounts',
  );
  const first = accounts.body.data.accounts.find((account) => account.is_default)?.account_id ?? 0;
  const send = async (fields: object = {}) => {
    const name = `Post ${crypto.randomUUID()}`;
    await ada.call('venom/add-campaign', {
      name,
      description: '',
      html: `<p>${name}</p>`,
      is_channel_campaign: false,
      group_metadata_ids: groupIds,
      ...fields,
    });
    const found = await ada.call<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns', {
      search: name,
    });
    return found.body.data.campaigns[0]?.campaign_id ?? '';
  };
  const sharesOf = async (campaign_id: string) => {
    const read = await ada.call<{ accounts: Share[] }>('analytics/get-campaign-group-analytics-master', {
      campaign_id,
      with_accounts: true,
      with_estimate: true,
    });
    return read.body.data.accounts;
  };
  return { ada, first, second, groupIds, send, sharesOf };
}

describe('a campaign', () => {
  test('is sent by the sender of each group, and its analytics say who sent how much', async () => {
    const { ada, first, second, groupIds, send, sharesOf } = await signUpWithTwoAccounts();
    const [own, ...others] = groupIds;
    await ada.call('venom/set-senders', { group_metadata_ids: others, account_ids: [second, first] });
    const campaign = await send();
    const shares = await until(
      () => sharesOf(campaign),
      (all) => all.length === 2 && all.every(({ queued }) => queued === 0),
    );
    expect(own).toBeDefined();
    expect(shares).toMatchObject([
      { account_id: first, deliveries: 1, sent: 1 },
      { account_id: second, deliveries: others.length, sent: others.length },
    ]);
    const { body } = await ada.call<{ account_id: AccountId | null }>('venom/get-campaign', { campaign_id: campaign });
    expect(body.data.account_id).toBeNull();
  });

  test('is sent by the account that it names', async () => {
    const { ada, second, groupIds, send, sharesOf } = await signUpWithTwoAccounts();
    const campaign = await send({ account_id: second });
    const shares = await until(
      () => sharesOf(campaign),
      (all) => all.every(({ sent }) => sent === groupIds.length),
    );
    expect(shares).toMatchObject([{ account_id: second, sent: groupIds.length }]);
    const { body } = await ada.call<{ account_id: AccountId }>('venom/get-campaign', { campaign_id: campaign });
    expect(body.data.account_id).toBe(second);
  });

  test('cannot name an account of another workspace', async () => {
    const [{ ada, groupIds }, { second: foreign }] = [await signUpWithTwoAccounts(), await signUpWithTwoAccounts()];
    const { status, body } = await ada.call('venom/add-campaign', {
      name: 'x',
      description: '',
      html: '<p>x</p>',
      is_channel_campaign: false,
      group_metadata_ids: groupIds,
      account_id: foreign,
    });
    expect([status, body.message]).toEqual([404, 'You have no account with this id']);
  });

  test('is handed over by hand while its account is down, and sent once', async () => {
    const { ada, first, second, groupIds, send, sharesOf } = await signUpWithTwoAccounts();
    // A run that begins while it is down would be sent by the other.
    const [hour] = new Date().toISOString().slice(11, 13).split(':').map(Number);
    const at = (hours: number) => `${String((Number(hour) + hours + 24) % 24).padStart(2, '0')}:00`;
    await ada.call('venom/update-account', { account_id: first, quiet_hours: { from: at(-2), to: at(3) } });
    const campaign = await send();
    await ada.call('venom/disconnect-account', { account_id: first });
    expect(await sharesOf(campaign)).toMatchObject([{ account_id: first, queued: groupIds.length }]);
    const to = await ada.call('venom/hand-over-deliveries', { account_id: first, to_account_id: 999_999 });
    expect(to).toMatchObject({ status: 404, body: { details: [{ field: 'to_account_id' }] } });
    const handed = await ada.call<{ handed_over: number; kept: number }>('venom/hand-over-deliveries', {
      account_id: first,
    });
    expect(handed.body.data).toMatchObject({ handed_over: groupIds.length, kept: 0 });
    await until(
      () => sharesOf(campaign),
      ([share]) => share?.account_id === second && share.sent === groupIds.length,
    );
    for (const group_metadata_id of groupIds) {
      const { body } = await ada.call<{ messages: unknown[] }>('sandbox/list-messages', { group_metadata_id });
      expect(body.data.messages).toHaveLength(1);
    }
  });
});
