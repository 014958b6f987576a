import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { readSession, runSession } from '../support/service/shell-session.ts';

const session = readSession('README.md');
const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test('the curl commands in the README work as printed', async () => {
  const [signedUp, analytics, ...more] = await runSession(session, { API: `${app.url}/api/v1` });
  expect(signedUp).toMatchObject({ error: false, code: 200, data: { user_info: { user_name: 'ada' } } });
  expect(analytics).toMatchObject({
    error: false,
    data: { campaign: { name: 'Spring fair' }, totals: { groups: 1, sent: 1 }, groups: [{ group_name: 'Old town' }] },
  });
  expect(more).toEqual([]);
});

test('the curl commands work again for the same user', async () => {
  const again = session.replace('sleep 5', 'sleep 0');
  const [signedUp, analytics] = await runSession(again, { API: `${app.url}/api/v1` });
  expect(signedUp).toMatchObject({ error: true, code: 409 });
  expect(analytics).toMatchObject({ error: false, data: { campaign: { name: 'Spring fair' } } });
});

test('the README has at most 120 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120);
});

test('the operations that the contract lists as missing do not exist', async () => {
  const section =
    read('docs/reference/contract.md').split('\n## 8. What is not there yet\n')[1]?.split('\n## ')[0] ?? '';
  const missing = [...section.matchAll(/`([a-z]+(?:[-_][a-z]+)*)`/g)].map(([, name]) => name);
  expect(section).not.toBe('');
  const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as { paths: object };
  const present = Object.keys(paths).map((path) => path.split('/').at(-1));
  expect(present).toContain('pause-campaign');
  expect(missing.filter((name) => present.includes(name))).toEqual([]);
});
