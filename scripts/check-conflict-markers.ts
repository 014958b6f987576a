import { spawnSync } from 'node:child_process';

/**
 * Exits with 1 and lists the lines when a file of the checkout in the current folder, tracked or not ignored, holds a merge-conflict
 * marker. The line of equal signs alone is none: it underlines headings in Markdown.
 */
const { status, stdout, stderr } = spawnSync('git', ['grep', '--untracked', '-nIE', '^(<{7}|\\|{7}|>{7})( |$)'], {
  encoding: 'utf8',
});

// git grep exits with 1 when nothing matches, and with more when it cannot search.
if (status !== 1) {
  process.stderr.write(
    status === 0
      ? `Merge-conflict markers:\n${stdout}`
      : stderr || 'git is needed to search for merge-conflict markers\n',
  );
  process.exitCode = 1;
}
