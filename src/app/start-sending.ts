/** What runs in a process that sends: the messengers, the worker, the deliveries of mails, webhooks and notices, and the backups. */
import { hostname } from 'node:os';
import type { Messenger, MessengerCapabilities } from '../messengers/messenger.ts';
import { SANDBOX } from '../messengers/sandbox/capabilities.ts';
import { createSandbox } from '../messengers/sandbox/sandbox.ts';
import { WHATSAPP } from '../messengers/whatsapp/capabilities.ts';
import { createWhatsApp, type WhatsAppOptions } from '../messengers/whatsapp/whatsapp.ts';
import { deliverNotices } from '../notifications/notices/deliver-notices.ts';
import { notifyOldBackup } from '../notifications/notices/notify-old-backup.ts';
import type { PushKeys } from '../notifications/notices/push-keys.ts';
import { sendWebhooks } from '../notifications/webhooks/send-webhooks.ts';
import { backUpDaily } from '../operations/backup/back-up-daily.ts';
import { fencingRecordsIn } from '../operations/hold/fencing-record-file.ts';
import { watchLedger } from '../operations/hold/watch-ledger.ts';
import { createWebhookMetrics } from '../operations/measure-webhooks.ts';
import { measureBackupCommand, measureBackups, measureShards } from '../operations/metrics.ts';
import type { Config, Gap } from '../platform/config/config.ts';
import { readVersion } from '../platform/config/version.ts';
import { connectDatabase } from '../platform/database/connect.ts';
import { startWorkPoll, type WorkPoll } from '../platform/database/work-poll.ts';
import type { Egress, PageReader } from '../platform/http-client/safe-http-client.ts';
import { createMailLinks } from '../platform/mail/mail-links.ts';
import { sendMails } from '../platform/mail/send-mails.ts';
import type { Vault } from '../platform/secrets/secret-box.ts';
import { LEASE_MS } from '../sending/leases/leases.ts';
import type { Shared } from './open-shared.ts';
import { startWorker, type Worker } from './worker.ts';

export interface SendingParts {
  jwtSecret: string;
  vault: Vault;
  egress: Egress & PageReader;
  keys: PushKeys;
  /** Instead of those that come with the service; they are closed with the app. */
  messengers: readonly Messenger[] | undefined;
  whatsappTiming: WhatsAppOptions['timing'];
}

/** Starts all of it. `closing` stops it in the opposite order. */
export async function startSending(
  shared: Shared,
  parts: SendingParts,
  closing: Array<() => Promise<unknown>>,
): Promise<Worker> {
  const { config, log, sendingDb: db, notifications, metrics, onLoopError } = shared;
  const workPoll = startWorkPoll({ db, log, onLoopError });
  closing.push(workPoll.stop);
  const messengers = parts.messengers ?? openMessengers(shared, { ...parts, workPoll });
  for (const messenger of messengers) closing.push(() => messenger.close());
  const common = { ...parts, db, log, notifications, workPoll, onLoopError };
  const isEmbedded = config.databaseUrl === undefined;
  const worker = await startWorker({
    ...common,
    messengers: new Map(messengers.map((messenger) => [messenger.name, messenger])),
    gaps: gapsOf(config),
    timeZone: config.timeZone,
    quotas: config.quotas,
    retentionDays: config.retentionDays,
    mediaDays: config.mediaDays,
    name: `${hostname()}:${process.pid}`,
    // This process has just started the embedded server, so no earlier worker can be alive.
    alone: isEmbedded,
    maySend: watchLedger({
      db,
      log,
      fencingRecords: fencingRecordsIn(config.stateDir),
      dataDir: isEmbedded ? config.dataDir : undefined,
      patienceMs: LEASE_MS,
    }),
    onOutcome: metrics.countOutcome,
    onRetry: metrics.countRetry,
    onFirstAttempt: metrics.observeFirstAttempt,
  });
  closing.push(worker.stop);
  measureShards(metrics.registry, worker.shardsHeld);
  const { smtpUrl, mailFrom: from, publicUrl, timeZone } = config;
  const mail =
    smtpUrl === undefined || from === undefined || publicUrl === undefined ? undefined : { smtpUrl, from, publicUrl };
  closing.push(sendMails({ ...common, links: createMailLinks(parts.jwtSecret), mail }).stop);
  closing.push(sendWebhooks({ ...common, ...createWebhookMetrics(metrics.registry) }).stop);
  // Push services accept HTTPS contacts only. A service without a public HTTPS URL has no contact to give.
  const contact = publicUrl?.startsWith('https:') === true ? publicUrl : 'https://campanile.invalid';
  closing.push(deliverNotices({ ...common, contact, hasMail: mail !== undefined, timeZone }).stop);
  closing.push(await startBackups(shared));
  return worker;
}

/** Opens the messengers that come with the service, each with its own database connections. */
function openMessengers(
  { config, log, disk, address, metrics, onLoopError }: Shared,
  { vault, egress: http, whatsappTiming, workPoll }: SendingParts & { workPoll: WorkPoll },
): Messenger[] {
  const connect = (name: string) =>
    connectDatabase(address, { log, poolSize: 4, name: `campanile ${name}`, onError: disk.recordError });
  return [
    createSandbox({ db: connect('sandbox'), log, speed: config.sandboxSpeed, workPoll, onLoopError }),
    createWhatsApp({
      db: connect('whatsapp'),
      log,
      vault,
      version: config.whatsappVersion,
      http,
      url: config.whatsappUrl,
      rootKey: config.whatsappRootKey,
      rejectsForgeries: config.whatsappCertificate === 'enforce',
      mediaCa: config.whatsappCa,
      queryIds: config.whatsappQueryIds,
      proxies: config.whatsappProxies,
      timing: { restAfterLinkMs: config.whatsappRestAfterLinkMs, ...whatsappTiming },
      onLoopError,
      onEventsLost: metrics.countLostEvents,
      onAlarm: metrics.countAlarm,
      onCondition: metrics.countCondition,
    }),
  ];
}

/** Starts the daily backups if they are configured. Returns a handle that stops them. */
async function startBackups({ config, db, address, log, metrics }: Shared): Promise<() => Promise<void>> {
  const { backup: settings, databaseUrl, dataDir, timeZone } = config;
  if (!settings) return () => Promise.resolve();
  const { version } = readVersion();
  const isEmbedded = databaseUrl === undefined;
  const onFailed = (lastGoodAt: Date | undefined) => notifyOldBackup(db, lastGoodAt);
  const backups = await backUpDaily({ settings, timeZone, db, address, isEmbedded, dataDir, version, log, onFailed });
  measureBackups(metrics.registry, backups.lastGoodAt);
  if (settings.command) measureBackupCommand(metrics.registry, backups.lastCommandAt);
  return backups.stop;
}

/** The pace of each messenger's accounts. */
export function gapsOf({ sandboxGap, whatsappGap, whatsappWarmUpGap: warmUp }: Config) {
  return { sandbox: gapOf(SANDBOX, sandboxGap), whatsapp: { ...gapOf(WHATSAPP, whatsappGap), warmUp } };
}

/** Without a gap a turn would hold hundreds of posts. */
function gapOf({ sendsOneByOne }: MessengerCapabilities, { minMs, maxMs }: Gap): Gap {
  return { minMs, maxMs: sendsOneByOne ? Math.max(1, maxMs) : maxMs };
}
