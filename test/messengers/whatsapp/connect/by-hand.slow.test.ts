import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, type Answer } from '../../../support/app.ts';
import { removeService, startService, type Service } from '../../../support/service/service.ts';

let peer: ChildProcess;
let said = '';
let service: Service | undefined;

beforeAll(async () => {
  const program = join(import.meta.dirname, '../../../../scripts/start-whatsapp-peer.ts');
  peer = spawn(process.execPath, [program, '--port', '0', '--number', '+44 20 7946 0123'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  peer.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
});
afterAll(async () => {
  if (service) {
    await service.stop();
    await removeService(service);
  }
  const ended = once(peer, 'exit');
  peer.kill();
  await ended;
});

test('says how to start the service with the peer, and links a pasted code', async () => {
  await expect.poll(() => said).toContain('npm start');
  const variables = [...said.matchAll(/(MESSENGER|WHATSAPP_\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]);
  service = await startService({ environment: { ...Object.fromEntries(variables), WHATSAPP_GAP_MS: '0-0' } });
  const { url } = service;
  const user = { user_name: 'ada', email: 'ada@example.com', password: 'a bell in every tower' };
  const numbers = { phone_number: '+442079460123', whatsapp_number: '+44 20 7946 0123' };
  await post(url, 'user/create_user', { ...user, ...numbers, first_name: 'Ada', last_name: '' });
  const { token } = (await post(url, 'user/authorize_user', user)).body.data as unknown as { token: string };
  const call = async (path: string, body: object = {}) =>
    (await post(url, path, body, token)) as Answer<Record<string, unknown>>;

  const { qr } = (await call('venom/connect-account')).body.data;
  peer.stdin?.write(`nonsense\n${String(qr)}\n`);
  await expect.poll(async () => (await call('venom/account-status')).body.data['status']).toBe('connected');
  expect(said).toContain('Not linked: nobody asked to be linked');
  expect(said).toMatch(/Linked as device \d+ of 442079460123\./);

  const listed = (await call('venom/list-groups')).body.data['groups'] as Array<{
    group_metadata_id: number;
    kind: string;
  }>;
  expect(listed.map(({ kind }) => kind).toSorted()).toEqual(['channel', 'community', 'group', 'group']);
  const ids = listed.map((group) => group.group_metadata_id);
  await call('venom/add-campaign', { name: 'Fair', html: '<b>Fair</b> at nine', group_metadata_ids: ids });
  // The owner's phone in three chats, twelve and three members, and a channel.
  await expect.poll(() => said.match(/: \*Fair\* at nine$/gm)?.length).toBe(3 + 12 + 3 + 1);
});
