/** The commands of the how-tos for a server, run as printed in a mount namespace that has the folders and the sandbox of the systemd unit. */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const mayUnshare =
  process.getuid?.() === 0 &&
  spawnSync('unshare', [...NAMESPACES, 'sh', '-c', 'mount --make-rprivate / && ip link set lo up']).status === 0;

/** Returns the shell commands of a page, as its blocks have them. */
function blocksOf(page: string): string[] {
  const blocks = readFileSync(join(ROOT, 'docs/how-to', page), 'utf8').matchAll(/^( *)```sh\n([^]*?)^\1```$/gm);
  return [...blocks].map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** Returns the one block of a page that contains these words. */
function blockWith(page: string, words: string): string {
  const found = blocksOf(page).filter((block) => block.includes(words));
  expect(found, `${page}: ${words}`).toHaveLength(1);
  return found[0] ?? '';
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-machines-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs commands on a machine. Throws with all of its output if one fails. */
async function run(machine: string, ...commands: string[]): Promise<string> {
  const script = join(ROOT, 'test/support/servers/machine.sh');
  const words = [join(folder, machine), ROOT, process.execPath, commands.join('\n')];
  const child = spawn('unshare', [...NAMESPACES, 'bash', script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [said, problems, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (code !== 0) throw new Error(`${machine}: it ended with ${code}\n${said}${problems}`);
  return said;
}

const INSTALL = [
  ...blockWith('install-on-a-server.md', 'useradd')
    .split('\n')
    .filter((line) => line.startsWith('useradd')),
  blockWith('install-on-a-server.md', '/etc/campanile/environment'),
];
const [COPY_COMMAND = '', CREATE_USER = ''] = blockWith('install-on-a-server.md', 'users create').split('\n');
const START = blockWith('install-on-a-server.md', 'systemctl enable');
const PREPARE = blockWith('back-up.md', 'openssl rand');
const DAILY = blockWith('back-up.md', 'BACKUP_TO=');
const [COPY_UNIT = ''] = START.split('\n');
/** The how-to has no command for it: the next `upgrade --check` finds one migration. */
const MAKE_OLDER = `setpriv --reuid campanile --regid campanile --init-groups -- ${process.execPath} --input-type=module -e "
import pg from '${join(ROOT, 'node_modules/pg/lib/index.js')}';
const client = new pg.Client({ host: '/var/lib/campanile/data/socket', user: 'campanile', database: 'postgres' });
await client.connect();
await client.query('update migrations set epoch = 0');
await client.end();"`;
/** Fails with the log once a backup has failed. */
const waitFor = (condition: string) =>
  `until ${condition}; do ! grep -q 'the daily backup failed' $machine/log || exit 1; sleep 0.2; done`;
const failing = (command: string) => `${command} && exit 1 || true`;

test('backs up, checks an upgrade and moves to another machine by the printed commands', async ({ skip }) => {
  skip(!mayUnshare, 'only root may make a machine of namespaces, and not in every container');
  skip(ROOT.startsWith('/tmp/'), 'this checkout is in the /tmp that the service would not see');
  accessSync(ROOT, constants.R_OK);
  const said = await run(
    'old',
    ...INSTALL,
    COPY_COMMAND,
    CREATE_USER,
    START,
    PREPARE,
    'campanile backup /var/backups/campanile/monday.campanile --passphrase-file /etc/campanile/passphrase',
    DAILY,
    waitFor('ls /var/backups/campanile/campanile-2*.campanile 2> /dev/null'),
    'campanile doctor | grep -A1 backups',
  );
  expect(said).toContain('listening on http://127.0.0.1:3000');
  expect(said).toMatch(/\/monday\.campanile: \d+\.\d MB in/);
  expect(said).toMatch(/^ok +backups +The last backup was made 0 hours ago/m);

  // What the service may not write, the command that has no sandbox must not call writable.
  const closed = await run(
    'old',
    'mkdir -p /mnt/backups 2> /dev/null || true',
    'install -d -o campanile -g campanile -m 700 /var/backups/elsewhere',
    `sed -i 's|^BACKUP_TO=.*|BACKUP_TO=/var/backups/elsewhere|' /etc/campanile/environment`,
    'systemctl start campanile',
    'grep BACKUP_TO $machine/log',
    failing('campanile doctor > $machine/doctor'),
    'cat $machine/doctor',
    MAKE_OLDER,
    failing('campanile upgrade --check'),
    blockWith('back-up.md', 'printf').replaceAll('/mnt/backups', '/var/backups/elsewhere'),
    'systemctl stop campanile && systemctl start campanile',
    waitFor('ls /var/backups/elsewhere/campanile-2*.campanile 2> /dev/null'),
    'campanile upgrade --check',
    'ls -A /var/backups/elsewhere | grep -c campanile-write || true',
  );
  expect(closed).toContain(
    'No daily backup can be written to BACKUP_TO: /var/backups/elsewhere is on a read-only file system for this process.',
  );
  expect(closed).toMatch(/^error +backups +BACKUP_TO cannot be written: \/var\/backups\/elsewhere is on a read-only/m);
  expect(closed).toContain(
    'The next start would fail. The backup before the upgrade would fail: /var/backups/elsewhere is on a read-only file system',
  );
  expect(closed).toMatch(/The database is up to date \(epoch \d+\)\. The next start changes nothing\.\n0\n$/);

  const onOld = blocksOf('move.md').find((block) => block.startsWith('campanile backup')) ?? '';
  const onNew = blockWith('move.md', 'campanile restore');
  await run('old', onOld);
  await run('new', 'true');
  cpSync(join(folder, 'old/backups/campanile/move.campanile'), join(folder, 'new/root/move.campanile'));
  cpSync(join(folder, 'old/etc/campanile/passphrase'), join(folder, 'new/root/passphrase'));
  const moved = await run(
    'new',
    ...INSTALL,
    COPY_COMMAND,
    COPY_UNIT,
    onNew,
    'campanile release --send all',
    'campanile users list',
  );
  expect(moved).toMatch(/^ada .* administrator/m);
  expect(readdirSync(join(folder, 'new/lib/campanile/data'))).toContain('encryption-key');
});
