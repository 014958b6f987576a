import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';

let app: TestApp;
let alice: Person;
beforeAll(async () => {
  app = await startTestApp();
  alice = await app.signUp('alice');
});
afterAll(() => app.stop());

const fileOf = (name: string) => join(import.meta.dirname, `../../examples/${name}.ts`);
const asAlice = () => ({ BASE: app.url, USER_NAME: 'alice', PASSWORD });

/** Runs an example. Returns its output and exit code. */
async function run(name: string, words: string[], env: Record<string, string>) {
  const running = promisify(execFile)(process.execPath, [fileOf(name), ...words], { env });
  const { stdout } = await running.catch((error: { code: number; stdout: string; stderr: string }) => {
    if (error.stderr !== '') throw new Error(error.stderr);
    return error;
  });
  return { stdout, code: running.child.exitCode };
}

test('announce posts to the matching groups and follows the campaign', async () => {
  const { stdout, code } = await run('announce', ['club', '<p>Run at <b>eight</b></p>'], { BASE: app.url });
  expect(stdout).toContain('Posting to 1 of your groups:\n\nRun at *eight*\n');
  expect(stdout).toMatch(/\nRunning club: sent to 24\ncompleted\n$/);
  expect(code).toBe(0);
});

test('schedule-week prints when the posts will be sent, without weekends', async () => {
  const words = ['09:00:00', 'Europe/London', '<p>Good morning</p>', 'cancel'];
  const { stdout, code } = await run('schedule-week', words, asAlice());
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(6);
  for (const line of lines.slice(0, 5)) expect(line).toMatch(/^\d{4}-\d\d-\d\d 09:00:00 to 3 groups$/);
  expect(lines[5]).toBe('cancelled');
  expect(code).toBe(0);
});

test('schedule-week prints what is wrong with invalid HTML', async () => {
  const { stdout, code } = await run('schedule-week', ['09:00:00', 'UTC', '<table></table>'], asAlice());
  expect(stdout).toMatch(/\(400\)\n {2}html /);
  expect(code).toBe(1);
});

test('watch prints events as they happen', async () => {
  const child = spawn(process.execPath, [fileOf('watch')], { env: asAlice(), stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  try {
    await expect.poll(() => printed).toContain('listening\nsandbox is connected\n');
    const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const ids = body.data.groups.map((group) => group.group_metadata_id);
    await alice.call('venom/add-campaign', { name: 'Fair', html: 'Hello', group_metadata_ids: ids });
    await expect.poll(() => printed).toMatch(/Fair: completed, sent to 3 of 3, [1-9]\d* have read it/);
  } finally {
    child.kill();
  }
});
