import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeService, startService, type Service } from '../../../support/service/service.ts';

const run = promisify(execFile);
/** Writes the loaded modules of the client and its libraries to stderr. */
const WATCH = `
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    const name = /node_modules\\/(baileys|libsignal|whatsapp-rust-bridge|sharp)\\//.exec(url)?.[1];
    if (name) process.stderr.write('LOADED ' + name + '\\n');
    return next(url, context);
  } });`;

let service: Service;
beforeAll(async () => {
  const options = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`;
  service = await startService({ environment: { NODE_OPTIONS: options, WHATSAPP_URL: 'ws://127.0.0.1:9/' } });
});
afterAll(async () => {
  await service.stop();
  await removeService(service);
});

test('does not load the WhatsApp client while all users use the sandbox', async () => {
  const example = join(import.meta.dirname, '../../../../examples/announce.ts');
  const { stdout } = await run(process.execPath, [example, 'club', '<p>Hello</p>'], { env: { BASE: service.url } });
  expect(stdout).toContain('sent to 24');
  expect(service.log()).not.toContain('LOADED');
});

test('loads the WhatsApp client when the first account is linked', async () => {
  const post = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${service.url}/api/v1/${path}`, init)).json()) as {
      code: number;
      data: { token: string };
    };
  };
  const user = { user_name: 'ada', email: 'ada@example.com', password: 'a bell in every tower' };
  const numbers = { phone_number: '+442079460123', whatsapp_number: '+442079460123' };
  await post('user/create_user', { ...user, ...numbers, first_name: 'Ada', last_name: '' });
  const { data } = await post('user/authorize_user', user);
  expect(await post('venom/connect-account', { messenger: 'whatsapp' }, data.token)).toMatchObject({ code: 503 });
  expect(service.log()).toContain('LOADED baileys');
});
