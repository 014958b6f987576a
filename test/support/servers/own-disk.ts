import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream/promises';

const run = (command: string, ...words: string[]) => spawnSync(command, words, { stdio: 'ignore' }).status === 0;

/** Whether this process may mount a disk: only root may, and not in every container. */
export const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  run('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir());

/** Mounts a disk at a folder, small enough to be filled. Returns false if the mount was denied. */
export function mountDisk(at: string, megabytes: number): boolean {
  return run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', at);
}

export function unmountDisk(at: string): void {
  run('umount', '--lazy', at);
}

/** Writes a file until its disk is full. */
export async function fillDisk(file: string): Promise<void> {
  const zeros = Buffer.alloc(64 * 1024);
  await pipeline(function* () {
    for (;;) yield zeros;
  }, createWriteStream(file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
}
