/** A process with a failing loop reports that it is not ready. A failing account (poison message) is quarantined, and the doctor names it. */
import { execute, sql } from '../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/platform/config/config.ts';
import { runChecks } from '../../src/operations/doctor/run-checks.ts';
import { groupsOf, useTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { plantPoison } from '../support/poison.ts';
import { ownerOf } from '../support/workspaces.ts';

const app = await useTestApp();

interface Readiness {
  status: string;
  message?: string;
  checks: Record<string, string>;
}

const askReady = async () => {
  const answer = await fetch(`${app.url}/health/ready`);
  return { code: answer.status, body: (await answer.json()) as Readiness };
};
const findings = async (check: string) =>
  (await runChecks({ config: readConfig({ DATA_DIR: '/nowhere' }), db: app.database.db })).filter(
    (finding) => finding.check === check,
  );
const rename = (from: string, to: string) =>
  execute(app.database.db)`alter table ${sql.id(from)} rename to ${sql.id(to)}`;

test('a failing loop makes its process unready, by name, until it succeeds', async () => {
  expect((await askReady()).code).toBe(200);
  await rename('notice_turns', 'notice_turns_gone');
  // The missing table alone makes it unready, too, and is named first.
  const failing = await until(askReady, ({ body }) => body.checks['loop pushes'] === 'failed');
  expect(failing).toMatchObject({ code: 503, body: { status: 'unavailable', checks: { database: 'ok' } } });
  const found = await until(
    () => findings('loops'),
    (all) => all.some(({ message }) => message.includes('"pushes"')),
  );
  // The work poll asks for the same table.
  expect(found.find(({ message }) => message.includes('"pushes"'))).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/^\S+:\d+ has not been ready since .* "pushes" .*does not exist/),
  });
  await rename('notice_turns_gone', 'notice_turns');
  await until(askReady, ({ code }) => code === 200);
  await until(
    () => findings('loops'),
    ([first]) => first?.level === 'ok',
  );
});

test('a failing account is quarantined and named by the doctor, while the process stays ready and serves others', async () => {
  const [bad, good] = [await app.signUp('bad'), await app.signUp('good')];
  const { accountId } = await ownerOf(app.database.db, bad);
  const mend = await plantPoison(app.database.db, {
    table: 'deliveries',
    column: 'account_id',
    value: accountId,
    on: 'update',
  });
  for (const person of [bad, good]) {
    const ids = await groupsOf(person);
    await person.call('venom/add-campaign', { name: 'Now', html: 'Hello', group_metadata_ids: ids });
  }
  const isCompleted = async (person: typeof good) => {
    const { body } = await person.call<{ campaigns: Array<{ status: string }> }>('venom/list-campaigns');
    return body.data.campaigns[0]?.status === 'completed';
  };
  await until(() => isCompleted(good), Boolean);
  const [finding] = await until(
    async () => (await findings('quarantine')).filter(({ message }) => message.includes('"outcomes"')),
    ({ length }) => length > 0,
  );
  expect(finding).toMatchObject({
    level: 'warning',
    message: expect.stringMatching(
      new RegExp(
        `^Account ${accountId} \\(bad\\) has been in quarantine from the batch "outcomes" since .*: this row is poisoned\\. `,
      ),
    ),
    advice: expect.stringContaining('docs/how-to/watch-it.md'),
  });
  expect((await askReady()).code).toBe(200);
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toMatch(/^campanile_quarantined\{batch="outcomes"\} \d$/m);
  expect(await isCompleted(bad)).toBe(false);

  await mend();
  await app.database.clock.advance({ minutes: 1, seconds: 1 });
  await until(() => isCompleted(bad), Boolean);
  // Receipts are processed again half a minute later, and may be in quarantine until then.
  await until(
    () => findings('quarantine'),
    (found) => !found.some(({ message }) => message.includes('"outcomes"')),
  );
});
