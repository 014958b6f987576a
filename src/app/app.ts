/** Wires the rooms to each other, as the configuration says. */
import type { FastifyInstance } from 'fastify';
import { prepareNumberChange } from '../sending/accounts/change-number.ts';
import { awaitCommandResults } from '../sending/accounts/commands.ts';
import { linkAccount, prepareHandOver, unlinkAccount } from '../sending/accounts/link-account.ts';
import { setAccountsDisabled } from '../sending/accounts/disable-accounts.ts';
import { buildOperatorServer } from '../api/server/operator-server.ts';
import type { Config } from '../platform/config/config.ts';
import { openDashboard, type Dashboard } from './dashboard.ts';
import { readPool } from '../platform/database/connect.ts';
import type { Database } from '../platform/database/statements.ts';
import { createSafeHttpClient, type Downloader, type Egress } from '../platform/http-client/safe-http-client.ts';
import type { ReadMessages } from '../sending/groups/list-messages.ts';
import { runChecksOnce } from '../operations/doctor/run-checks-once.ts';
import { createAuthenticate } from '../api/server/auth.ts';
import type { Operation } from '../api/operation.ts';
import { readFeed } from '../api/routes/calendar-links.ts';
import { listOperations } from '../api/routes/operations.ts';
import { buildServer, type HttpLimits } from '../api/server/server.ts';
import { readHoldReason } from '../operations/hold/read-hold.ts';
import type { Log } from '../platform/log/log.ts';
import { systemClock } from '../platform/time/time.ts';
import { answerWhileStarting } from './answer-while-starting.ts';
import { listen, listenIfFree, warnOfPlainHttp } from './listen.ts';
import { createVault, type Vault } from '../platform/secrets/secret-box.ts';
import type { Messenger, MessengerCapabilities } from '../messengers/messenger.ts';
import { readMessages } from '../messengers/sandbox/messages.ts';
import { SANDBOX } from '../messengers/sandbox/capabilities.ts';
import { WHATSAPP } from '../messengers/whatsapp/capabilities.ts';
import { resealMessageSecretKeys } from '../messengers/whatsapp/connect/message-secret-keys.ts';
import type { WhatsAppOptions } from '../messengers/whatsapp/whatsapp.ts';
import { loadPushKeys, resealPushKeys } from '../notifications/notices/push-keys.ts';
import { openShared, type Shared } from './open-shared.ts';
import { publishHealth } from '../operations/publish-health.ts';
import { loadSecrets } from '../platform/secrets/load-secrets.ts';
import { createLinkPreviews, type LinkPreviews } from '../content/link-preview/link-previews.ts';
import { createConverter, type Convert } from '../content/text/convert-in-worker.ts';
import { PAIRING_CODES_PER_NUMBER, countAttempts } from '../identity/sign-in/brute-force-limit.ts';
import { resealTotps } from '../identity/factors/set-up-totp.ts';
import { resealWebhooks } from '../notifications/webhooks/manage-webhooks.ts';
import { createUserDependencies } from '../identity/dependencies.ts';
import { gapsOf, startSending } from './start-sending.ts';
import type { Worker } from './worker.ts';

/** The capabilities of the messengers that accounts can use. */
const MESSENGERS = { sandbox: SANDBOX, whatsapp: WHATSAPP } satisfies Record<
  Config['messenger'],
  MessengerCapabilities
>;
const messengersByName = new Map<string, MessengerCapabilities>(Object.entries(MESSENGERS));

export interface App {
  /** The URL of the server; undefined for a worker whose port was in use. */
  url: string | undefined;
  /** Resolves with the reason if the app cannot go on. */
  failed: Promise<string>;
  /** Stops accepting work, finishes work in flight, hands over leases, and closes everything. */
  stop(): Promise<void>;
}

export interface AppOptions {
  /** For tests, which check what operations answer. */
  wrapOperation?: (operation: Operation) => Operation;
  /** Messengers to send through instead of those that come with the service; they are closed with the app. */
  messengers?: readonly Messenger[];
  /** For tests, which cannot wait as long as production should wait for WhatsApp. */
  whatsappTiming?: WhatsAppOptions['timing'];
  /** For tests, with which the service may have to share its process. */
  httpLimits?: Partial<HttpLimits>;
  /** The built dashboard, for tests: a run builds it once. By default it is built after the API listens, if its sources have changed. */
  dashboardFolder?: string;
}

/** Starts the processes of `config.role`. Throws a StartupError with the remedy when the operator has to change something. */
export async function startApp(
  config: Config,
  log: Log,
  {
    wrapOperation = (operation) => operation,
    messengers,
    whatsappTiming,
    httpLimits = {},
    dashboardFolder,
  }: AppOptions = {},
): Promise<App> {
  const starting = await answerWhileStarting(config, log);
  // Closed in the opposite order when the app stops, or does not start.
  const closing: Array<() => Promise<unknown>> = [starting.close];
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    const { shared, failed } = await openShared(config, log, { closing, setPhase: starting.setPhase });
    const { db } = shared;
    const secrets = await loadSecrets({ config, address: shared.address, log });
    closing.push(publishHealth(shared).stop);
    const converter = createConverter();
    closing.push(() => converter.close());
    const vault = createVault({ key: secrets.encryptionKey, previousKey: config.encryptionKeyPrevious });
    if (config.encryptionKeyPrevious) await resealSecrets(db, { vault, log });
    const egress = createSafeHttpClient(config.egress);
    closing.push(async () => egress.close());
    const pushKeys = await loadPushKeys(db, vault);
    const { jwtSecret, jwtSecretPrevious } = secrets;
    const common = { jwtSecret, vault, egress };
    const sending = { ...common, keys: pushKeys, messengers, whatsappTiming };
    const worker = config.role === 'api' ? undefined : await startSending(shared, sending, closing);
    const dashboard = config.role === 'worker' ? undefined : openDashboard(log, dashboardFolder);
    const server =
      worker && config.role === 'worker'
        ? buildWorkerServer(shared, worker)
        : await buildApi(shared, {
            ...common,
            jwtSecretPrevious,
            pushPublicKey: pushKeys.publicKey,
            dashboard,
            wrapOperation,
            limits: httpLimits,
            convert: converter.convert,
            linkPreviews: openLinkPreviews(shared, closing),
          });
    closing.push(() => server.close());
    warnOfPlainHttp(config, log);
    await starting.close();
    const url = await (config.role === 'worker' ? listenIfFree(server, config, log) : listen(server, config));
    if (dashboard) {
      closing.push(() => dashboard.stop());
      void dashboard.build();
    }
    return { url, stop, failed };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The server of a process without operations. */
function buildWorkerServer({ config, log, healthDb, checkDatabase, disk, metrics, health }: Shared, worker: Worker) {
  return buildOperatorServer({
    readyChecks: {
      database: checkDatabase,
      async lease() {
        // A ledger that is held leases nothing, as it should.
        if ((await readHoldReason(healthDb)) === undefined) await worker.checkLease();
      },
    },
    readHoldReason: () => readHoldReason(healthDb),
    health,
    isDiskFull: disk.isFull,
    metrics: metrics.registry,
    log,
    settings: config,
  });
}

interface ApiParts {
  jwtSecret: string;
  jwtSecretPrevious: string | undefined;
  vault: Vault;
  egress: Egress & Downloader;
  pushPublicKey: string;
  dashboard: Dashboard | undefined;
  wrapOperation: (operation: Operation) => Operation;
  limits: Partial<HttpLimits>;
  convert: Convert;
  linkPreviews: LinkPreviews;
}

function openLinkPreviews({ config, log }: Shared, closing: Array<() => Promise<unknown>>): LinkPreviews {
  const previews = createLinkPreviews({ ...config.linkPreviews, log });
  closing.push(() => previews.close());
  return previews;
}

function buildApi(
  { config, log, db, healthDb, checkDatabase, disk, notifications, metrics, health, onLoopError }: Shared,
  { jwtSecret, jwtSecretPrevious, vault, pushPublicKey, dashboard, wrapOperation, limits, ...parts }: ApiParts,
): Promise<FastifyInstance> {
  const users = createUserDependencies({
    db,
    log,
    clock: systemClock,
    jwtSecret,
    jwtSecretPrevious,
    signUp: config.signUp,
    isPublic: config.publicUrl !== undefined,
    vault,
    hasMail: config.smtpUrl !== undefined,
    timeZone: config.timeZone,
    ownedWorkspaces: config.ownedWorkspaces,
    notifications,
    onWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, MESSENGERS[config.messenger]),
    onTestWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, SANDBOX),
    onHandedOver: prepareHandOver,
    onUserDeleted: unlinkAccount,
    onUserSwitched: setAccountsDisabled,
    allowsNumber: (trx, actor, number) => prepareNumberChange(trx, actor, { number, messengers: messengersByName }),
  });
  return buildServer({
    operations: listOperations({
      ...users,
      ...parts,
      pushPublicKey,
      quotas: config.quotas,
      mediaDays: config.mediaDays,
      gaps: gapsOf(config),
      waiters: awaitCommandResults(notifications),
      countPairingCode: (key) => countAttempts(db, [{ limit: PAIRING_CODES_PER_NUMBER, key }]),
      messengers: messengersByName,
      defaultMessenger: config.messenger,
      readMessages: new Map<string, ReadMessages>([[SANDBOX.name, (...of) => readMessages(db, ...of)]]),
      runChecks: runChecksOnce({ config, db }),
    }).map(wrapOperation),
    readFeed: (link) => readFeed({ db }, link),
    events: { db, timeZone: config.timeZone, clock: systemClock, notifications, onLoopError },
    authenticate: createAuthenticate(users),
    readyChecks: { database: checkDatabase },
    readHoldReason: () => readHoldReason(healthDb),
    health,
    isDiskFull: disk.isFull,
    assertDiskSpace: disk.assertDiskSpace,
    readPool: () => readPool(db),
    metrics: metrics.registry,
    log,
    dashboard: dashboard && { ...dashboard, users },
    settings: config,
    limits,
  });
}

async function resealSecrets(db: Database, { vault, log }: { vault: Vault; log: Log }): Promise<void> {
  const sealed = {
    factors: await resealTotps(db, vault),
    webhooks: await resealWebhooks(db, vault),
    messageSecretKeys: await resealMessageSecretKeys(db, vault),
    pushKeys: await resealPushKeys(db, vault),
  };
  if (Object.values(sealed).some(Boolean)) log.info(sealed, 'secrets were sealed with the new ENCRYPTION_KEY');
}
