/**
 * Writes the version of WhatsApp's client that is published today into the release: node release/pin-client-version.ts. Without a network,
 * or if the pages name no newer one, the pinned version stays, which is said.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { createSafeHttpClient } from '../src/platform/http-client/safe-http-client.ts';
import { readAllowedHosts } from '../src/platform/network/allowed-hosts.ts';
import { PINNED_ON, PINNED_VERSION } from '../src/messengers/whatsapp/connect/pinned-version.ts';
import { readVersionPages, VERSION_PAGES } from '../src/messengers/whatsapp/connect/version-pages.ts';

const FILE = new URL('../src/messengers/whatsapp/connect/pinned-version.ts', import.meta.url);

/** Returns the text of the file with the newest of these versions, published `today` (ISO date), and a sentence on what was done. */
export function pinNewest(
  text: string,
  named: ReadonlyArray<readonly [number, number, number]>,
  today: string,
): { text: string; summary: string } {
  const stays = `The client version stays ${PINNED_VERSION.join('.')} of ${PINNED_ON}`;
  const revision = Math.max(...named.map(([, , third]) => third));
  if (named.length === 0) return { text, summary: `${stays}: no page that names today's could be reached.` };
  if (revision <= PINNED_VERSION[2]) return { text, summary: `${stays}, which is today's.` };
  const version = [PINNED_VERSION[0], PINNED_VERSION[1], revision];
  const pinned = text
    .replace(/(?<=PINNED_VERSION.* = )\[.*\]/, `[${version.join(', ')}]`)
    .replace(/(?<=PINNED_ON = )'.*'/, `'${today}'`);
  return { text: pinned, summary: `The client version is ${version.join('.')}, of today.` };
}

if (import.meta.main) {
  const allowed = readAllowedHosts([]);
  if (!allowed) throw new Error('no host is allowed');
  const http = createSafeHttpClient({ allowHttp: false, allowed });
  const named = await readVersionPages(http, VERSION_PAGES, pino({ level: 'silent' }));
  http.close();
  const today = new Date().toISOString().slice(0, 10);
  const { text, summary } = pinNewest(readFileSync(FILE, 'utf8'), named, today);
  writeFileSync(FILE, text);
  process.stdout.write(`${summary}\n`);
}
