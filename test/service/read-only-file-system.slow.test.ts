import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { doMainJob } from '../support/service/main-job.ts';
import { mayMount } from '../support/servers/own-disk.ts';
import { startService } from '../support/service/service.ts';

const DOOR = join(import.meta.dirname, '../../bin/campanile.mjs');
/** The user id in the container image. */
const USER = 65_532;

/** Everything is read-only except the folder and a private /tmp, as in a container with `--read-only`, and all capabilities are dropped. */
const READ_ONLY = `#!/bin/sh
set -e
mount --make-rprivate /
mount --bind "$DATA_FOLDER/passwd" /etc/passwd
mount --bind "$DATA_FOLDER" /mnt
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir /tmp/data
mount --bind /mnt /tmp/data
umount /mnt
mount -o remount,bind,ro /
exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --bounding-set -all --no-new-privs -- "$NODE" "$1" serve
`;

test('the service writes only to its data and /tmp, and needs no capability', async ({ skip }) => {
  skip(!mayMount, 'only root may mount');
  skip(DOOR.startsWith('/tmp/'), 'this checkout is in the /tmp that the service would not see');
  const folder = mkdtempSync(join(tmpdir(), 'campanile-writes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, USER, USER);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'passwd'), `root:x:0:0::/:/bin/sh\ncampanile:x:${USER}:${USER}::/data:/bin/false\n`);
  writeFileSync(join(folder, 'begin'), READ_ONLY, { mode: 0o755 });
  const service = await startService({
    node: 'unshare',
    words: ['-m', join(folder, 'begin')],
    entry: DOOR,
    environment: {
      NODE: process.execPath,
      DATA_FOLDER: folder,
      HOME: '/tmp/data',
      DATA_DIR: '/tmp/data/data',
      STATE_DIR: '/tmp/data/state',
    },
  });
  expect(await doMainJob(service.url)).toContain('Posting to 1 of your groups');
  expect(await service.stop()).toBe(0);
  expect(readdirSync(join(folder, 'data'))).toContain('postgres');
});
