import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/check-conflict-markers.ts');

describe('the check for merge-conflict markers', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conflict-markers-'));
    execFileSync('git', ['init', '--quiet', folder]);
  });

  function check(): { status: number | null; stderr: string } {
    return spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
  }

  test('fails and names the line of a file that holds a marker', async () => {
    await writeFile(
      join(folder, 'page.md'),
      `Text\n${'<'.repeat(7)} HEAD\nours\n${'='.repeat(7)}\ntheirs\n${'>'.repeat(7)} branch\n`,
    );
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain('page.md:2:');
    expect(stderr).toContain('page.md:6:');
  });

  test('passes without a marker, even with headings underlined with equal signs', async () => {
    await writeFile(join(folder, 'page.md'), `Heading\n${'='.repeat(7)}\n`);
    expect(check()).toMatchObject({ status: 0, stderr: '' });
  });

  test('fails outside of a git checkout instead of finding nothing', async () => {
    await writeFile(join(folder, '.git', 'HEAD'), '');
    expect(check().status).toBe(1);
  });
});
