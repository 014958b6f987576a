import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findWriteProblem } from '../../../src/operations/backup/write-problem.ts';

test.runIf(existsSync('/proc/self'))('says in a sentence that a folder takes no files', async () => {
  expect(await findWriteProblem('/proc/backups/campanile')).toBe('nothing can be created in /proc');
});
