import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import { startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { runSession } from '../support/service/shell-session.ts';

const run = promisify(execFile);
/** The test vector of Standard Webhooks. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,bm9uZQ== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};

let folder: string;
let page: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-examples-'));
  page = await readFile(join(import.meta.dirname, '../../docs/how-to/receive-webhooks.md'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function exampleIn(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`there is no example in ${language}`);
  return code;
}

const CALLS = [
  ['the message as it is', VECTOR.body, 1614265330, '{"test":2432232314}'],
  ['another body', `${VECTOR.body} `, 1614265330, 'refused: no signature matches'],
  ['a message of yesterday', VECTOR.body, 1614265330 + 86_400, 'refused: too old, or ahead of time'],
] as const;

test.each(CALLS)('the Node.js receiver verifies %s', async (_, body, now, says) => {
  const file = join(folder, 'receiver.mjs');
  const call = `verify(${JSON.stringify(VECTOR.secret)}, ${JSON.stringify(VECTOR.headers)}, ${JSON.stringify(body)}, ${now})`;
  await writeFile(
    file,
    `${exampleIn('js')}\ntry { console.log(JSON.stringify(${call})) } catch (e) { console.log('refused: ' + e.message) }`,
  );
  expect((await run(process.execPath, [file])).stdout.trim()).toBe(says);
});

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasPython).each(CALLS)('the Python receiver verifies %s', async (_, body, now, says) => {
  const file = join(folder, 'receiver.py');
  const call = `verify(${JSON.stringify(VECTOR.secret)}, ${JSON.stringify(VECTOR.headers)}, ${JSON.stringify(body)}.encode(), ${now})`;
  await writeFile(
    file,
    `${exampleIn('python')}\ntry:\n    print(json.dumps(${call}, separators=(",", ":")))\nexcept ValueError as e:\n    print("refused: " + str(e))\n`,
  );
  expect((await run('python3', [file])).stdout.trim()).toBe(says);
});

test('the webhook that the curl example creates receives the test event', async () => {
  const allowed = readAllowedHosts(['127.0.0.1']);
  if (!allowed) throw new Error('no such hosts');
  const app = await startTestApp({ egress: { allowHttp: true, allowed, proxy: {} } });
  const receiver = await startReceiver();
  const { token: TOKEN } = await app.signUp('alice');
  const [making, trying, ...others] = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  expect(others).toEqual([]);
  const run = (script = '') => runSession(script, { URL: app.url, TOKEN });
  const [made] = await run(making?.replace('https://hooks.example.com/campanile', receiver.url));
  expect(made?.data).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
  const { webhook_id: webhookId = '' } = (made?.data ?? {}) as { webhook_id?: string };
  const answers = await run(trying?.replaceAll('…', webhookId));
  expect(answers.map(({ code }) => code)).toEqual([200, 200]);
  await until(
    () => receiver.received.map(({ type }) => type),
    (types) => types.length === 1,
  );
  expect(receiver.received[0]?.type).toBe('webhook.test');
  await receiver.close();
  await app.stop();
});
