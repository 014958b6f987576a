import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../../../src/messengers/whatsapp/client/create-engine.ts';
import { expectEngine } from '../../../support/engine/engine-contract.ts';

expectEngine('the one of the adapter', createEngine);

test('the interface of an engine names no type of a library', () => {
  const folder = join(import.meta.dirname, '../../../../src/messengers/whatsapp/client');
  const seen = new Set<string>();
  const waiting = ['engine.ts'];
  for (const name of waiting) {
    seen.add(name);
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, path = ''] of text.matchAll(/from '([^']+)'/g)) {
      const isOurs = path.startsWith('./') && path !== './message.ts';
      if (isOurs && !seen.has(path.slice(2))) waiting.push(path.slice(2));
      expect([name, path]).toEqual([name, expect.not.stringMatching(/^(baileys|libsignal|whatsapp-rust)/)]);
    }
  }
  expect(seen.size).toBeGreaterThan(5);
});
