import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { post } from '../support/app.ts';
import { removeService, startService } from '../support/service/service.ts';

const ROOT = join(import.meta.dirname, '../..');

const folder = await mkdtemp(join(tmpdir(), 'campanile-main-'));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a command. Resolves to its output once that matches `until`, or once it has exited. */
function run(command: string, words: string[], environment: Record<string, string>, until: RegExp) {
  const child = spawn(command, words, { cwd: ROOT, env: { PATH: process.env['PATH'], HOME: folder, ...environment } });
  let said = '';
  const heard = new Promise<string>((resolve) => {
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      if (until.test(said)) resolve(said);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('close', () => resolve(said));
  });
  return { child, heard };
}

const ended = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>((resolve) => void child.once('exit', () => resolve()));

describe('the service as a process', () => {
  test('exits with code 0 on a signal and keeps its data across a restart', async () => {
    const first = await startService();
    const user = { user_name: 'alice', password: 'correct horse battery' };
    const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
    await post(first.url, 'user/create_user', {
      ...user,
      ...numbers,
      first_name: 'A',
      last_name: '',
      email: 'a@example.com',
    });
    const { body } = await post(first.url, 'user/authorize_user', user);
    expect(await first.stop()).toBe(0);
    const second = await startService({ folder: first.folder });
    const { token } = body.data as unknown as { token: string };
    expect(await post(second.url, 'user/get_profile', {}, token)).toMatchObject({ status: 200 });
    expect(await second.stop()).toBe(0);
    await removeService(second);
  });

  test('SIGHUP: goes on without a terminal and logs why', async () => {
    const service = await startService();
    process.kill(service.pid, 'SIGHUP');
    await expect.poll(() => service.log()).toContain('SIGHUP changes nothing: restart Campanile');
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    await removeService(service);
  });

  test('SIGHUP: stops in order when its terminal is closed', async ({ skip }) => {
    skip(spawnSync('script', ['--version']).status !== 0, 'there is no script(1) here, which makes a terminal');
    const pid = join(folder, 'terminal.pid');
    const command = `echo $$ > ${pid}; exec ${process.execPath} bin/campanile.mjs`;
    const environment = { PORT: '0', DATA_DIR: join(folder, 'terminal'), STATE_DIR: join(folder, 'state') };
    const { child, heard } = run('script', ['-qefc', command, '/dev/null'], environment, /listening on/);
    const output = text(child.stdout);
    await heard;
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGHUP');
    await ended(child);
    expect([child.exitCode, await output]).toEqual([0, expect.stringMatching(/stopping[^]*SIGHUP/)]);
  });

  test('prints all configuration problems, one per line, and exits with code 1', async () => {
    const environment = { PORT: 'many', ROLE: 'king', SANDBOX_GAP_MS: '9-1' };
    const { child, heard } = run(process.execPath, ['bin/campanile.mjs'], environment, /$^/);
    const lines = (await heard).trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['PORT', 'ROLE', 'SANDBOX_GAP_MS']);
    expect(child.exitCode).toBe(1);
  });

  test('prints one sentence if its port is in use', async () => {
    const service = await startService();
    const environment = {
      PORT: new URL(service.url).port,
      DATA_DIR: join(folder, 'second'),
      STATE_DIR: join(folder, 'state'),
      LOG_LEVEL: 'fatal',
    };
    const { child, heard } = run(process.execPath, ['bin/campanile.mjs'], environment, /$^/);
    expect(await heard).toMatch(/^Port \d+ on 127\.0\.0\.1 is in use: [^\n]+\n$/);
    expect(child.exitCode).toBe(1);
    expect(existsSync(join(folder, 'second'))).toBe(false);
    await service.stop();
    await removeService(service);
  });

  test('warns of a public HOST without TLS, and of no other', async () => {
    const warning = /reads passwords and tokens/;
    const environment = { PORT: '0', DATA_DIR: join(folder, 'open'), STATE_DIR: join(folder, 'state') };
    const start = async (more: Record<string, string>) => {
      const { child, heard } = run(
        process.execPath,
        ['bin/campanile.mjs'],
        { ...environment, ...more },
        /listening on/,
      );
      const said = await heard;
      child.kill('SIGTERM');
      await ended(child);
      return said;
    };
    expect(await start({ HOST: '0.0.0.0' })).toMatch(warning);
    expect(await start({ HOST: '0.0.0.0', PUBLIC_URL: 'https://campanile.example' })).not.toMatch(warning);
    expect(await start({})).not.toMatch(warning);
  });

  test('leaves no process behind when npm is stopped', async () => {
    const environment = { PORT: '0', DATA_DIR: join(folder, 'npm'), STATE_DIR: join(folder, 'state') };
    const { child, heard } = run('npm', ['start'], environment, /listening on (http[^"]+)/);
    const url = /listening on (http:[^"]+)/.exec(await heard)?.[1] ?? '';
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    child.kill('SIGTERM');
    await ended(child);
    await expect.poll(() => fetch(`${url}/health/live`).then(String, () => 'gone')).toBe('gone');
    const lock = join(folder, 'npm');
    const again = await startService({ environment: { DATA_DIR: lock, STATE_DIR: join(folder, 'state') } });
    await again.stop();
    await removeService(again);
  });
});
