/** BACKUP_COMMAND: the operator's command for each finished daily backup. */
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';
import { backUpDaily } from '../../../src/operations/backup/back-up-daily.ts';
import { runBackupCommand } from '../../../src/operations/backup/run-backup-command.ts';
import { checkBackups } from '../../../src/operations/doctor/check-machine.ts';
import { measureBackupCommand } from '../../../src/operations/metrics.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { createTestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { recordLog } from '../../support/record-log.ts';
import { temporaryFolder } from '../../support/servers/embedded.ts';

const HOUR_MS = 60 * 60_000;
/** Of this day: the doctor has no clock of its own, and a backup of the future would be none. */
const DAY = new Date().toISOString().slice(0, 10);
const NEWEST = `campanile-${DAY.replaceAll('-', '')}T000000Z.campanile`;
const environment = { PATH: process.env['PATH'] };

let to: string;
let now: Date;
beforeEach(async () => {
  to = temporaryFolder();
  now = new Date(`${DAY}T01:00:00Z`);
  await writeFile(join(to, NEWEST), 'a backup');
  await utimes(join(to, NEWEST), now, now);
});

/** Starts the daily backups of a folder whose newest backup is fresh, so that only the command runs. */
async function startWith(command: string, commandLimitMs?: number) {
  const { db, address, drop } = await createTestDatabase();
  const { log, lines } = recordLog('info');
  const backups = await backUpDaily({
    settings: { to, at: '00:00', keep: 2, passphrase: undefined, command: { command, environment } },
    timeZone: 'UTC',
    db,
    address,
    isEmbedded: true,
    dataDir: temporaryFolder(),
    version: '1',
    log,
    now: () => now,
    ...(commandLimitMs !== undefined && { commandLimitMs }),
  });
  const stop = async () => {
    await backups.stop();
    await drop();
  };
  return { backups, lines, stop };
}

const settings = (command: string) => ({
  to,
  at: '00:00',
  keep: 2,
  passphrase: undefined,
  command: { command, environment },
});
const installed = (command: string) => ({
  backup: settings(command),
  dataDir: undefined,
  stateDir: to,
  diskFloorBytes: undefined,
});
const readRecord = async () =>
  JSON.parse(await readFile(join(to, 'backup-command.json'), 'utf8').catch(() => 'null')) as {
    file: string;
    problem: string | null;
  } | null;

test('passes the path in BACKUP_FILE: a name with shell characters is no code', async () => {
  const file = join(to, "a $(touch injected) ; 'b' \".campanile");
  await writeFile(file, 'content');
  const command = { command: 'cp "$BACKUP_FILE" copy-of-it', environment: { ...environment, OLDPWD: to } };
  await runBackupCommand(
    { ...command, command: `cd '${to}' && ${command.command}` },
    { file, signal: new AbortController().signal },
  );
  expect(await readFile(join(to, 'copy-of-it'), 'utf8')).toBe('content');
  expect(await readdir(to)).not.toContain('injected');
});

test('runs once for a backup, also across a restart, and reports it in the metric and the doctor', async () => {
  const command = `echo "$BACKUP_FILE" >> '${to}/seen'`;
  expect(await checkBackups(installed(command))).toContainEqual(
    expect.objectContaining({ level: 'warning', message: `BACKUP_COMMAND has not ended yet for ${NEWEST}` }),
  );
  for (let start = 0; start < 2; start++) {
    const { backups, stop } = await startWith(command);
    const registry = new Registry();
    measureBackupCommand(registry, backups.lastCommandAt);
    await until(
      () => backups.lastCommandAt()?.getTime(),
      (at) => at === now.getTime(),
    );
    expect(await registry.metrics()).toContain(
      `campanile_backup_command_last_success_timestamp_seconds ${now.getTime() / 1_000}\n`,
    );
    await stop();
  }
  expect(await readFile(join(to, 'seen'), 'utf8')).toBe(`${join(to, NEWEST)}\n`);
  expect(await checkBackups(installed(command))).toContainEqual(
    expect.objectContaining({ level: 'ok', message: `BACKUP_COMMAND succeeded for ${NEWEST} at ${now.toISOString()}` }),
  );
});

test('logs a failure in one line with the end of the output, and tries again after an hour', async () => {
  const command = `echo x >> '${to}/seen'; yes chatter | head -n 200000; echo 'no route to host' >&2; exit 3`;
  const first = await startWith(command);
  await until(readRecord, (found) => found !== null);
  await first.stop();
  const logged = first.lines().filter(({ msg }) => msg.includes('BACKUP_COMMAND'));
  expect(logged).toHaveLength(1);
  expect(JSON.stringify(logged).length).toBeLessThan(6_000);
  expect(logged[0]).toMatchObject({
    level: 50,
    reason: 'BACKUP_COMMAND ended with exit code 3',
    output: expect.stringMatching(/no route to host$/),
  });
  expect(first.backups.lastCommandAt()).toBeUndefined();
  expect(await checkBackups(installed(command))).toContainEqual({
    level: 'error',
    message: `BACKUP_COMMAND ended with exit code 3, for ${NEWEST} at ${now.toISOString()}`,
    advice: 'Read its output in the log. Campanile runs it again every hour.',
  });

  now = new Date(now.getTime() + HOUR_MS);
  const second = await startWith(`echo y >> '${to}/seen'`);
  await until(readRecord, (found) => found?.problem === null);
  await second.stop();
  expect(await readFile(join(to, 'seen'), 'utf8')).toBe('x\ny\n');
});

test('ends a command, and the processes that it has started, after the time limit', async () => {
  const { lines, stop } = await startWith(`sleep 100000 & echo $! > '${to}/pid'; wait`, 5_000);
  expect(await until(readRecord, (found) => found !== null)).toMatchObject({
    problem: 'BACKUP_COMMAND took longer than 0 minutes and was ended',
  });
  const pid = Number(await readFile(join(to, 'pid'), 'utf8'));
  await until(() => isRunning(pid), false);
  expect(JSON.stringify(lines())).toContain('took longer than');
  await stop();
});

test('a shutdown ends the command without waiting for it, and the next start runs it again', async () => {
  const { stop } = await startWith(`echo $$ > '${to}/pid'; exec sleep 100000`);
  await until(
    () => readFile(join(to, 'pid'), 'utf8').catch(() => ''),
    (text) => text.endsWith('\n'),
  );
  await stop();
  expect(await readRecord()).toBeNull();
  const pid = Number(await readFile(join(to, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(false);
  const again = await startWith('true');
  await until(readRecord, (found) => found?.problem === null);
  await again.stop();
});

test('a command that cannot be started or leaves a process behind breaks nothing', async () => {
  const first = await startWith('/no/such/program');
  expect(await until(readRecord, (found) => found !== null)).toMatchObject({
    problem: 'BACKUP_COMMAND ended with exit code 127',
  });
  await first.stop();
  now = new Date(now.getTime() + HOUR_MS);
  const second = await startWith(`sleep 100000 & echo $! > '${to}/pid'`);
  await until(readRecord, (found) => found?.problem === null);
  await second.stop();
  process.kill(Number(await readFile(join(to, 'pid'), 'utf8')));
});

test('the command gets the environment without the secrets and settings of Campanile', () => {
  const { backup } = readConfig({
    BACKUP_TO: '/backups',
    BACKUP_COMMAND: 'restic backup "$BACKUP_FILE"',
    BACKUP_PASSPHRASE: 'a passphrase that is long',
    DATABASE_URL_FILE: undefined,
    ENCRYPTION_KEY: '0'.repeat(64),
    JWT_SECRET_PREVIOUS: 'a secret of at least thirty-two letters',
    HTTPS_PROXY: 'http://proxy.example:3128',
    RESTIC_PASSWORD_FILE: '/etc/restic',
    PATH: '/usr/bin',
  });
  expect(backup?.command).toEqual({
    command: 'restic backup "$BACKUP_FILE"',
    environment: { HTTPS_PROXY: 'http://proxy.example:3128', RESTIC_PASSWORD_FILE: '/etc/restic', PATH: '/usr/bin' },
  });
  expect(() => readConfig({ BACKUP_COMMAND: 'true' })).toThrow(
    'BACKUP_COMMAND needs BACKUP_TO: it runs after each daily backup',
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
