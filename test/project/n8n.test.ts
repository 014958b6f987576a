import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PAGE = join(import.meta.dirname, '../../docs/how-to/use-it-from-n8n.md');
/** The test vector of Standard Webhooks. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

/** Runs the code of the page as a Code node does, with `this`, `$input` and `require`. Returns its output. */
async function runNode({ body = VECTOR.body, signature = VECTOR.signature, late = 0 } = {}): Promise<unknown> {
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const headers = {
    'webhook-id': VECTOR.id,
    'webhook-timestamp': String(VECTOR.timestamp),
    'webhook-signature': signature,
  };
  const AsyncFunction = (async () => {}).constructor as new (...words: string[]) => (...given: unknown[]) => unknown;
  const node = new AsyncFunction('$input', 'require', 'Date', code.replace('whsec_…', VECTOR.secret));
  const context = { helpers: { getBinaryDataBuffer: async () => Buffer.from(body) } };
  const clock = { now: () => (VECTOR.timestamp + late) * 1_000 };
  return node.call(context, { first: () => ({ json: { headers } }) }, createRequire(import.meta.url), clock);
}

test('the code for n8n accepts a valid signature, beside another one, too', async () => {
  const taken = [{ json: { id: VECTOR.id, test: 2_432_232_314 } }];
  expect(await runNode()).toEqual(taken);
  expect(await runNode({ signature: `v1,AAAA v1a,AAAA ${VECTOR.signature}` })).toEqual(taken);
});

test('the code for n8n rejects a changed body, a wrong signature and an old timestamp', async () => {
  await expect(runNode({ body: `${VECTOR.body} ` })).rejects.toThrow('No signature matches');
  await expect(runNode({ signature: VECTOR.signature.replace('g0', 'h0') })).rejects.toThrow('No signature matches');
  await expect(runNode({ signature: VECTOR.signature.replace('v1', 'v2') })).rejects.toThrow('No signature matches');
  await expect(runNode({ late: 301 })).rejects.toThrow('Too old');
  await expect(runNode({ late: -301 })).rejects.toThrow('Too old');
});
