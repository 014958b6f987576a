import type { Config } from '../platform/config/config.ts';
import { connectDatabase, type PostgresAddress } from '../platform/database/connect.ts';
import type { DiskWatch } from '../platform/database/watch-disk.ts';
import type { WorkPoll } from '../platform/database/work-poll.ts';
import type { PageReader } from '../platform/http-client/safe-http-client.ts';
import type { OnLoopError } from '../platform/concurrency/failure-streak.ts';
import type { Log } from '../platform/log/log.ts';
import { createVault } from '../platform/secrets/secret-box.ts';
import type { Messenger } from '../messengers/messenger.ts';
import { createSandbox } from '../messengers/sandbox/sandbox.ts';
import { createWhatsApp, type WhatsAppOptions } from '../messengers/whatsapp/whatsapp.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Secrets } from '../platform/secrets/load-secrets.ts';

interface Needed extends Pick<Secrets, 'encryptionKey'> {
  config: Config;
  log: Log;
  disk: Pick<DiskWatch, 'recordError'>;
  address: PostgresAddress;
  metrics: Metrics;
  workPoll: WorkPoll;
  onLoopError: OnLoopError;
  egress: PageReader;
  /** For tests, which cannot wait as long as production should wait for WhatsApp. */
  whatsappTiming: WhatsAppOptions['timing'];
}

/** Opens the messengers that come with the service, each with its own database connections. The caller closes them. */
export function openMessengers(needed: Needed): Messenger[] {
  const { config, log, encryptionKey, metrics, workPoll, onLoopError, egress, whatsappTiming } = needed;
  return [
    createSandbox({
      db: connect(needed, 'sandbox'),
      log,
      speed: config.sandboxSpeed,
      workPoll,
      onLoopError,
    }),
    createWhatsApp({
      db: connect(needed, 'whatsapp'),
      log,
      vault: createVault({ key: encryptionKey, previousKey: config.encryptionKeyPrevious }),
      version: config.whatsappVersion,
      http: egress,
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

function connect({ log, disk, address }: Needed, name: string) {
  return connectDatabase(address, { log, poolSize: 4, name: `campanile ${name}`, onError: disk.recordError });
}
