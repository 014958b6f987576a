import { expect, test } from 'vitest';
import { sleep } from '../../src/platform/time/time.ts';
import { PASSWORD, post } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';

const GROUPS = 90;
const KILLS = 3;
/** A campaign takes several seconds, so that each kill happens during it. */
const environment = { SANDBOX_GAP_MS: '60-90', SANDBOX_SPEED: '50' };

interface Totals {
  queued: number;
  sent: number;
  failed: number;
}

async function ask<Data>(service: Service, path: string, body: object, token?: string): Promise<Data> {
  const answer = await post(service.url, path, body, token);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data as Data;
}

/** Sends a campaign with an Idempotency-Key. Returns the status, or undefined if no answer arrived. */
async function sendWithKey(service: Service, body: object, token: string, key: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${service.url}/api/v1/venom/add-campaign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    return response.status;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function signUp(service: Service): Promise<string> {
  const user = { first_name: 'Alice', last_name: '', user_name: 'alice', email: 'alice@example.com' };
  const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
  await ask(service, 'user/create_user', { ...user, ...numbers, password: PASSWORD });
  return (await ask<{ token: string }>(service, 'user/authorize_user', { user_name: 'alice', password: PASSWORD }))
    .token;
}

test('a service killed repeatedly during a campaign posts to every group exactly once', async () => {
  let service = await startService({ environment });
  const { folder } = service;
  const token = await signUp(service);
  const groups: number[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `Group ${index}`, participants: [`4915100${index + 1000}`] };
    const { group_metadata_id } = await ask<{ group_metadata_id: number }>(service, 'venom/create-group', group, token);
    groups.push(group_metadata_id);
  }
  const campaign = { name: 'Once', html: '<p>Only <b>once</b></p>', group_metadata_ids: groups };
  const { campaign_id } = await ask<{ campaign_id: string }>(service, 'venom/add-campaign', campaign, token);
  const totals = async () =>
    (await ask<{ totals: Totals }>(service, 'analytics/get-campaign-group-analytics-master', { campaign_id }, token))
      .totals;

  const messagesIn = async (group_metadata_id: number) => {
    const path = 'sandbox/list-messages';
    const { messages } = await ask<{ messages: Array<{ text: string }> }>(service, path, { group_metadata_id }, token);
    return messages.map((message) => message.text);
  };

  for (let kill = 1; kill <= KILLS; kill++) {
    const before = await until(totals, ({ sent }) => sent >= (kill * GROUPS) / (KILLS + 2));
    expect(before.sent).toBeLessThan(GROUPS);
    // The service is killed before the client knows whether it accepted the request, so the client repeats it with the same key.
    const urgent = { name: 'Urgent', html: `Urgent ${kill}`, group_metadata_ids: groups.slice(0, 1) };
    const lost = sendWithKey(service, urgent, token, `kill ${kill}`);
    await sleep(kill * 3);
    await service.kill();
    await lost;
    service = await startService({ folder, environment });
    expect(await sendWithKey(service, urgent, token, `kill ${kill}`)).toBe(200);
  }
  const after = await until(totals, ({ queued }) => queued === 0);
  expect(after).toMatchObject({ sent: GROUPS, failed: 0 });

  const urgent = await until(
    async () => (await messagesIn(groups[0] ?? 0)).filter((text) => text.startsWith('Urgent')),
    (texts) => texts.length >= KILLS,
  );
  expect(urgent).toEqual(['Urgent 1', 'Urgent 2', 'Urgent 3']);
  for (const group_metadata_id of groups) {
    const texts = await messagesIn(group_metadata_id);
    expect(texts.filter((text) => !text.startsWith('Urgent'))).toEqual(['Only *once*']);
  }
  expect(await service.stop()).toBe(0);
  await removeService(service);
});
