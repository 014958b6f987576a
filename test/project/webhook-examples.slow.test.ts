import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signMessage } from '../../src/notifications/webhooks/sign.ts';
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
  ['accepts the message as it is', VECTOR.body, 1614265330, true],
  ['rejects another body', `${VECTOR.body} `, 1614265330, false],
  ['rejects a message of yesterday', VECTOR.body, 1614265330 + 86_400, false],
  ['rejects a message of tomorrow', VECTOR.body, 1614265330 - 86_400, false],
] as const;

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);
const LANGUAGES = ['js', ...(hasPython ? ['python'] : [])];

/** Writes the receiver of the page, with code behind it, and returns the command that runs it. */
async function writeReceiver(language: string, code = ''): Promise<[program: string, file: string]> {
  const file = join(folder, `${randomUUID()}.${language === 'js' ? 'mjs' : 'py'}`);
  await writeFile(file, `${exampleIn(language)}\n${code}`);
  return [language === 'js' ? process.execPath : 'python3', file];
}

describe.each(LANGUAGES)('the receiver in %s', (language) => {
  test.each(CALLS)('%s', async (_, body, now, isAuthentic) => {
    const words = [VECTOR.secret, VECTOR.headers, body].map((word) => JSON.stringify(word));
    const [secret, headers, text] = words;
    const code =
      language === 'js'
        ? `console.log(isAuthentic(${secret}, ${headers}, Buffer.from(${text}), ${now})); process.exit()`
        : `print(str(is_authentic(${secret}, ${headers}, ${text}.encode(), ${now})).lower())`;
    // Without its main part, which would listen.
    const [program, file] = await writeReceiver(language);
    const source = (await readFile(file, 'utf8')).replace(/^if __name__[^]*/m, '');
    await writeFile(file, `${source}\n${code}\n`);
    expect((await run(program, [file], { env: { ...process.env, PORT: '0' } })).stdout.trim()).toBe(
      String(isAuthentic),
    );
  });

  describe('over HTTP', () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    let port: number;
    let child: ChildProcess;
    beforeAll(async () => {
      port = await findFreePort();
      const [program, file] = await writeReceiver(language);
      const env = { PATH: process.env['PATH'], PORT: String(port), WEBHOOK_SECRET: secret };
      child = spawn(program, [file], { env, stdio: ['ignore', 'ignore', 'ignore'] });
      await until(
        () => post(port, [], '').catch(() => 0),
        (status) => status > 0,
      );
    });
    afterAll(() => void child.kill());

    const signed = (body: string, changed: Record<string, string | undefined> = {}) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const messageId = randomUUID();
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const signature = signMessage('v1', [key], { messageId, timestamp: Number(timestamp), body });
      const headers = { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      return Object.entries({ ...headers, ...changed }).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}: ${value}`],
      );
    };
    const message = JSON.stringify({ type: 'run.completed', timestamp: '2030-01-01T00:00:00Z', data: { name: 'Ünï' } });

    test('accepts a signed message', async () => {
      expect(await post(port, signed(message), message)).toBe(204);
    });

    test('answers 400 to a signed message that is not JSON', async () => {
      expect(await post(port, signed('hello'), 'hello')).toBe(400);
    });

    test('answers 413 to a message over 1 MiB', async () => {
      const body = 'x'.repeat(1024 * 1024 + 1);
      // The one in Python answers before it reads the body.
      expect(await post(port, signed(body), body, language === 'js' ? body.length : 0)).toBe(413);
    });

    test.each([
      ['no header at all', []],
      ['no id', signed(message, { 'webhook-id': undefined })],
      ['no timestamp', signed(message, { 'webhook-timestamp': undefined })],
      ['no signature', signed(message, { 'webhook-signature': undefined })],
      ['an empty signature', signed(message, { 'webhook-signature': '' })],
      ['a signature without a version', signed(message, { 'webhook-signature': 'AAAA' })],
      ['a signature that is not base64', signed(message, { 'webhook-signature': 'v1,%%%' })],
      ['a signature of the wrong length', signed(message, { 'webhook-signature': 'v1,AAAA' })],
      ['a signature with other letters', signed(message, { 'webhook-signature': 'v1,\u00fc\u00fc' })],
      ['an id with other letters', signed(message, { 'webhook-id': '\u00fc' })],
      ['many commas and spaces', signed(message, { 'webhook-signature': ' ,, v1,, , v1 ,' })],
      [
        'repeated signatures that match nothing',
        ['webhook-signature: v1,AAAA', ...signed(message, { 'webhook-signature': 'v1,BBBB' })],
      ],
      ['a timestamp that is not a number', signed(message, { 'webhook-timestamp': 'soon' })],
      ['a timestamp with an exponent', signed(message, { 'webhook-timestamp': '1e9' })],
      ['a negative timestamp', signed(message, { 'webhook-timestamp': '-1' })],
      ['a timestamp with a thousand digits', signed(message, { 'webhook-timestamp': '9'.repeat(1_000) })],
    ])('answers 401 to %s, and goes on', async (_, headers) => {
      expect(await post(port, headers, message)).toBe(401);
      expect(await post(port, signed(message), message)).toBe(204);
    });
  });
});

/** Sends header lines as they are, in Latin-1, and the first bytes of the body. Returns the status. */
async function post(port: number, headers: readonly string[], body: string, sentLength = Infinity): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const content = Buffer.from(body);
  const lines = ['POST / HTTP/1.1', 'host: localhost', 'connection: close', `content-length: ${content.length}`];
  socket.write(Buffer.from([...lines, ...headers, '', ''].join('\r\n'), 'latin1'));
  socket.write(content.subarray(0, sentLength));
  let text = '';
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      resolve();
    });
    socket.on('end', resolve);
    socket.on('error', reject);
  });
  socket.destroy();
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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
