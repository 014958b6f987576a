import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { startTestApp } from '../app.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startFileHost } from '../servers/file-host.ts';
import { startMailServer } from '../servers/mail-server.ts';
import { startReceiver } from '../servers/receiver.ts';
import { pageWithCard, startWebSite } from '../servers/web-site.ts';
import { startWhatsAppPeer } from '../../../harness/whatsapp-peer/peer.ts';
import type { Stage } from './scene.ts';

/** All that a scene needs but its recorder. */
export interface Setting extends Omit<Stage, 'recorder'> {
  /** Of the service. */
  url: string;
  today: Temporal.PlainDate;
}

/**
 * Runs `play` with a service of its own, at nine o'clock, and the servers that the service talks to. `prepare` gets the database before the
 * service starts.
 */
export async function withStage<Result>(
  play: (setting: Setting) => Promise<Result>,
  prepare: (database: TestDatabase) => Promise<void> = () => Promise.resolve(),
): Promise<Result> {
  const database = await createTestDatabase();
  await prepare(database);
  const mails = await startMailServer();
  const receiver = await startReceiver();
  const files = await startFileHost();
  const allowed = readAllowedHosts(['127.0.0.0/8']);
  if (!allowed) throw new Error('127.0.0.0/8 is no list of hosts');
  const whatsapp = await startWhatsAppPeer();
  const site = await startWebSite();
  const page = pageWithCard({ title: 'Spring fair', description: 'Saturday at nine, at the old mill' });
  site.serve('/fair', { type: 'text/html', body: page });
  const config = {
    whatsappUrl: whatsapp.url,
    whatsappRootKey: Buffer.from(whatsapp.rootKey, 'hex'),
    egress: { allowHttp: true, allowed, proxy: {} },
    linkPreviews: { isEnabled: true, allowed, proxy: {}, fetchMs: 60_000 },
    smtpUrl: mails.url,
    mailFrom: 'campanile@example.com',
    publicUrl: 'https://campanile.example',
    signUp: 'open',
  } as const;
  const app = await startTestApp(config, database);
  try {
    const today = Temporal.Now.plainDateISO('UTC');
    await app.database.clock.set(`${today}T09:00:00Z`);
    const firstMonday = today.add({ days: 15 - today.dayOfWeek });
    const urls = { url: app.url, receiverUrl: receiver.url, siteUrl: site.url, fileUrl: files.url };
    return await play({ db: app.database.db, mails, whatsapp, ...urls, today, firstMonday });
  } finally {
    await app.stop();
    await database.drop();
    await whatsapp.stop();
    await mails.close();
    await receiver.close();
    await files.close();
    await site.close();
  }
}
