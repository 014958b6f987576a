import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** Returns the first unsupported, old Node.js on this machine; an empty string if there is none. */
export function findOldNode(): string {
  const folders = new Set([...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']);
  for (const folder of folders) {
    const node = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const major = Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]);
    if (major < 26) return node;
  }
  return '';
}
