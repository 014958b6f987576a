/** The API reference: sends its examples to the service and compares its pages. `npm run docs` runs this file to write them. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import type { OperationExample } from '../../src/api/server/operation-examples.ts';
import { renderApiReference } from '../../scripts/render-api-reference.ts';
import { startTestApp } from '../support/app.ts';
import type { OpenApiDocument } from '../support/api-reference/document.ts';
import { createRecorder, type Example } from '../support/api-reference/recorder.ts';
import { playScene } from '../support/api-reference/scene.ts';
import { settleExamples } from '../support/api-reference/settle.ts';
import { readDocument } from '../support/http/own-document.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { pageWithCard, startWebSite } from '../support/servers/web-site.ts';
import { startWhatsAppPeer } from '../whatsapp-peer/peer.ts';

const FOLDER = join(import.meta.dirname, '../../docs/reference/api');

/** The bodies of the examples, which the service's OpenAPI document shows. */
const EXAMPLES = join(import.meta.dirname, '../../src/api/contract/examples.json');

function bodiesOf(examples: ReadonlyMap<string, Example>): Record<string, OperationExample> {
  const entries = [...examples].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, { requestBody: request, answerBody: answer }]) => [
      name,
      { request, answer: JSON.parse(JSON.stringify(answer, shorten)) as typeof answer },
    ]),
  );
}

/** For the size of the document: one row shows what a list looks like. */
const shorten = (_name: string, value: unknown): unknown => (Array.isArray(value) ? value.slice(0, 1) : value);

/** Sends every example to a service of its own, and returns the requests and answers. */
async function recordExamples(document: OpenApiDocument): Promise<Map<string, Example>> {
  const mails = await startMailServer();
  const receiver = await startReceiver();
  const allowed = readAllowedHosts(['127.0.0.0/8']);
  if (!allowed) throw new Error('127.0.0.0/8 is no list of hosts');
  const whatsapp = await startWhatsAppPeer();
  const site = await startWebSite();
  const page = pageWithCard({ title: 'Spring fair', description: 'Saturday at nine, at the old mill' });
  site.serve('/fair', { type: 'text/html', body: page });
  const app = await startTestApp({
    whatsappUrl: whatsapp.url,
    whatsappRootKey: Buffer.from(whatsapp.rootKey, 'hex'),
    egress: { allowHttp: true, allowed, proxy: {} },
    linkPreviews: { isEnabled: true, allowed, proxy: {} },
    smtpUrl: mails.url,
    mailFrom: 'campanile@example.com',
    publicUrl: 'https://campanile.example',
    signUp: 'open',
  });
  try {
    const today = Temporal.Now.plainDateISO('UTC');
    await app.database.clock.set(`${today}T09:00:00Z`);
    const recorder = createRecorder(app.url, document);
    const firstMonday = today.add({ days: 15 - today.dayOfWeek });
    const urls = { receiverUrl: receiver.url, siteUrl: site.url };
    await playScene({ recorder, db: app.database.db, mails, whatsapp, ...urls, firstMonday });
    return settleExamples(recorder.examples, { today, firstMonday, ...urls });
  } finally {
    await app.stop();
    await whatsapp.stop();
    await mails.close();
    await receiver.close();
    await site.close();
  }
}

test('the service answers the example of every operation as documented, and the pages are current: npm run docs', async () => {
  const document = (await readDocument()) as OpenApiDocument;
  const examples = await recordExamples(document);
  const names = Object.values(document.paths).flatMap(({ post }) => post?.operationId ?? []);
  expect([...examples.keys()].toSorted()).toEqual(names.toSorted());
  await expect(`${JSON.stringify(bodiesOf(examples), undefined, 1)}\n`).toMatchFileSnapshot(EXAMPLES);
  const pages = renderApiReference(document, examples);
  for (const [name, text] of pages) await expect(text).toMatchFileSnapshot(join(FOLDER, name));
  expect(globSync('*', { cwd: FOLDER }).filter((name) => !pages.has(name))).toEqual([]);
});
