import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/servers/embedded.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
const analyze = (...words: string[]) => spawnSync('systemd-analyze', words, { encoding: 'utf8' });
const hasSystemd = analyze('--version').status === 0;

describe.for(['campanile.service', 'campanile@.service'])('%s', (name) => {
  test('passes systemd-analyze verify, apart from the program, which is not installed', ({ skip }) => {
    skip(!hasSystemd, 'there is no systemd-analyze here');
    // A template is verified as one of its instances.
    const unit = join(temporaryFolder(), name.replace('@', '@shop'));
    copyFileSync(join(DEPLOY, name), unit);
    const { stderr } = analyze('verify', unit);
    expect(stderr).toContain('/opt/campanile/node_modules/.bin/node is not executable');
    expect(
      stderr.split('\n').filter((line) => line.includes('campanile') && !line.includes('is not executable')),
    ).toEqual([]);
  });

  test('has an exposure level below 3 in systemd-analyze security', ({ skip }) => {
    skip(!hasSystemd, 'there is no systemd-analyze here');
    expect(analyze('security', '--offline=yes', '--threshold=30', join(DEPLOY, name))).toMatchObject({ status: 0 });
  });
});

test('the template differs from the unit in the user, the folders and the environment file of the instance', () => {
  const settingsOf = (name: string) =>
    read(name)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  const [single, template] = [settingsOf('campanile.service'), settingsOf('campanile@.service')];
  expect(template.filter((line) => !single.includes(line))).toEqual([
    'Description=Campanile, messaging campaigns: %i',
    'User=campanile-%i',
    'Group=campanile-%i',
    'Environment=NODE_ENV=production DATA_DIR=/var/lib/campanile-%i/data STATE_DIR=/var/lib/campanile-%i/state',
    'EnvironmentFile=/etc/campanile/%i.environment',
    'StateDirectory=campanile-%i',
    'ReadWritePaths=-/var/backups/campanile-%i',
  ]);
  expect(template).toHaveLength(single.length);
});

/** Runs campanile.sh with its folders below a temporary one, as the user \`nobody\`, with a program that prints what it gets. */
function runCommand(environmentFile: string, ...words: string[]) {
  const root = temporaryFolder();
  const script = read('campanile.sh')
    .replaceAll(/\/(etc|var|opt)\//g, `${root}/$1/`)
    .replaceAll(/"\$name"(?= |$)/g, 'nobody')
    .replace('--group nobody', '--group nogroup')
    .replace('--regid nobody', '--regid nogroup');
  for (const folder of ['etc/campanile', 'var/lib', 'opt/campanile/node_modules/.bin'])
    mkdirSync(join(root, folder), { recursive: true });
  const node = '#!/bin/sh\necho "$(id -un) $PWD $PORT|$MAIL_FROM|$DATA_DIR|$STATE_DIR"; shift; echo "$@"\n';
  writeFileSync(join(root, 'opt/campanile/node_modules/.bin/node'), node, { mode: 0o755 });
  writeFileSync(join(root, 'etc/campanile', environmentFile), ENVIRONMENT, { mode: 0o600 });
  const said = execFileSync('sh', ['-c', script, 'campanile', ...words], { encoding: 'utf8' });
  return said.replaceAll(root, '');
}
const ENVIRONMENT = "# A comment\n\nPORT=3001\nMAIL_FROM='Ada $(id) <ada@example.com>'";
const mayBecomeAnother =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups', 'true']).status === 0;

test.skipIf(!mayBecomeAnother)(
  'campanile.sh runs a command with the user, the folders and the settings of the unit',
  () => {
    expect(runCommand('environment', 'users', 'list', 'a b')).toBe(
      'nobody /var/lib/campanile 3001|Ada $(id) <ada@example.com>|/var/lib/campanile/data|/var/lib/campanile/state\nusers list a b\n',
    );
  },
);

test.skipIf(!mayBecomeAnother)('campanile.sh @shop runs it with those of the instance', () => {
  expect(runCommand('shop.environment', '@shop', 'users', 'list')).toBe(
    'nobody /var/lib/campanile-shop 3001|Ada $(id) <ada@example.com>|/var/lib/campanile-shop/data|/var/lib/campanile-shop/state\nusers list\n',
  );
});
