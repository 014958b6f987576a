import { afterAll, expect, test } from 'vitest';
import { post } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';
import { signUpSender } from '../support/service/storm.ts';

let service: Service | undefined;
afterAll(async () => {
  await service?.kill();
  if (service) await removeService(service);
});

test('on a nearly full disk, answers 503 to new campaigns and sends accepted ones', async () => {
  const slow = { SANDBOX_GAP_MS: '5000-5000', SANDBOX_SPEED: '0' };
  service = await startService({ environment: slow });
  const sender = await signUpSender(service.url, 'sender');
  const campaign = { name: 'Fair', html: 'Fair', group_metadata_ids: sender.groupIds };
  const { body } = await post(service.url, 'venom/add-campaign', campaign, sender.token);
  const { campaign_id } = body.data as unknown as { campaign_id: string };
  await service.stop();
  const floor = { ...slow, SANDBOX_GAP_MS: '0-0', DISK_FLOOR_MB: '1000000000' };
  service = await startService({ folder: service.folder, environment: floor });
  const { url } = service;

  const refused = await post(url, 'venom/add-campaign', campaign, sender.token);
  expect(refused.body).toMatchObject({
    code: 503,
    message:
      'The disk of this service is nearly full: new campaigns and files are taken when there is room again; what was accepted goes out',
  });
  expect(refused.headers.get('retry-after')).toBe('60');
  const draft = { draft_id: crypto.randomUUID(), version: 0, html: '', group_metadata_ids: [], is_schedule: false };
  expect((await post(url, 'venom/save-draft', draft, sender.token)).status).toBe(503);
  expect((await post(url, 'venom/preview-campaign', { html: 'x' }, sender.token)).status).toBe(200);
  const status = async () => {
    const answer = await post(url, 'venom/get-campaign', { campaign_id }, sender.token);
    return (answer.body.data as unknown as { status: string }).status;
  };
  expect(await until(status, (now) => now === 'completed')).toBe('completed');
});
