import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';

const UNIT = join(import.meta.dirname, '../../deploy/campanile.service');
const analyze = (...words: string[]) => spawnSync('systemd-analyze', [...words, UNIT], { encoding: 'utf8' });
const hasSystemd = analyze('--version').status === 0;
beforeEach(({ skip }) => skip(!hasSystemd, 'there is no systemd-analyze here'));

test('the unit passes systemd-analyze verify, apart from the program, which is not installed', () => {
  const said = analyze('verify')
    .stderr.split('\n')
    .filter((line) => line.includes('campanile'));
  expect(said.filter((line) => !line.includes('is not executable'))).toEqual([]);
});

test('the unit has an exposure level below 3 in systemd-analyze security', () => {
  expect(analyze('security', '--offline=yes', '--threshold=30')).toMatchObject({ status: 0 });
});
