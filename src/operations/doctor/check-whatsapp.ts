/** Whether WhatsApp can be reached from here, and how old the version is that we say to be. */
import { get as getPlainly, type Agent } from 'node:http';
import { get as getSecurely } from 'node:https';
import { readCount, type Database } from '../../platform/database/statements.ts';
import {
  endsSoon,
  OLD_CLIENT_DAYS,
  pinnedAgeDays,
  readClientInUse,
  toDays,
  type ClientInUse,
} from '../../messengers/whatsapp/connect/client-version-age.ts';
import { PINNED_VERSION } from '../../messengers/whatsapp/connect/pinned-version.ts';
import { proxyLabel } from '../../messengers/whatsapp/connect/proxies.ts';
import { describeError, fail, ok, warn, type CheckResult, type Results } from './finding.ts';

const WHATSAPP = 'https://web.whatsapp.com/';
const PATIENCE_MS = 5_000;

export interface WhatsAppConfigured {
  messenger: 'sandbox' | 'whatsapp';
  whatsappUrl: string | undefined;
  whatsappCa: string | undefined;
  whatsappVersion: readonly number[] | undefined;
  whatsappProxies: readonly string[];
}

/** Any answer will do: it is the way there that is looked at. */
export async function checkWhatsApp(db: Database | undefined, configured: WhatsAppConfigured): Promise<Results> {
  const isUsed = configured.messenger === 'whatsapp' || (db && (await readClientInUse(db)) !== undefined);
  if (!isUsed) return ok('New accounts use the sandbox, and no account was ever on WhatsApp');
  const url = new URL((configured.whatsappUrl ?? WHATSAPP).replace(/^ws/, 'http'));
  if (configured.whatsappProxies.length > 0) return checkProxies(url, configured);
  try {
    const status = await ask(url, configured.whatsappCa);
    return ok(`${url.host} answers (HTTP ${status})`);
  } catch (error) {
    return fail(
      `${url.host} cannot be reached: ${describeError(error)}`,
      'Allow connections from this machine to this host and to *.whatsapp.net on port 443, and DNS lookups.',
    );
  }
}

/** Accounts use no other way, so every proxy has to work. */
async function checkProxies(url: URL, { whatsappProxies, whatsappCa }: WhatsAppConfigured) {
  const { openProxy } = await import('../../messengers/whatsapp/connect/open-proxy.ts');
  const tried = whatsappProxies.map(async (proxy, index) => {
    const name = `Proxy ${index + 1} (${proxyLabel(proxy)})`;
    try {
      const status = await ask(url, whatsappCa, openProxy(proxy).agent);
      return ok(`${name} reaches ${url.host} (HTTP ${status})`);
    } catch (error) {
      const advice = 'Correct or remove it in WHATSAPP_PROXIES. Its accounts wait until it works.';
      return fail(`${name} does not reach ${url.host}: ${describeError(error)}`, advice);
    }
  });
  return Promise.all(tried);
}

function ask(url: URL, ca: string | undefined, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const get = url.protocol === 'https:' ? getSecurely : getPlainly;
    get(url, { signal, ...(agent && { agent }), ...(ca !== undefined && { ca }) }, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    }).on('error', (error) => reject(signal.aborted ? new Error(`no answer within ${PATIENCE_MS / 1_000} s`) : error));
  });
}

/** How old the version of its client is that WhatsApp last accepted, and whether it rejects it. */
export async function* checkClientVersion(db: Database, { whatsappVersion: pinned }: WhatsAppConfigured) {
  if (pinned)
    yield warn(
      `WHATSAPP_VERSION pins the client version to ${pinned.join('.')}. WhatsApp rejects a version some months after its release.`,
      'Unset WHATSAPP_VERSION to use the newest known version.',
    );
  const rejected = await readCount(db)`
    select count(*) from accounts where status = 'reconnecting' and status_code = 'version_refused'`;
  if (rejected > 0)
    yield fail(
      `WhatsApp rejects this client version. Accounts that cannot connect: ${rejected}`,
      'Upgrade Campanile, or set WHATSAPP_VERSION to a current version.',
    );
  yield describeAge(await readClientInUse(db));
}

function describeAge(inUse: ClientInUse | undefined): CheckResult {
  if (!inUse) {
    const pinned = `${PINNED_VERSION.join('.')}, ${pinnedAgeDays(new Date())} days old`;
    return ok(`No account has connected to WhatsApp yet. This release has version ${pinned}`);
  }
  const { version, acceptedAt, ageMs, end } = inUse;
  const days = toDays(ageMs);
  const since = acceptedAt.toISOString().slice(0, 10);
  const summary = `WhatsApp accepts version ${version}, since ${since}. It is at least ${days} days old`;
  const advice =
    'Upgrade Campanile, or allow requests to web.whatsapp.com and connect.facebook.net, which name the newest version.';
  const told = end ? `${summary}. WhatsApp takes it until ${end.at.toISOString().slice(0, 10)}` : summary;
  if (endsSoon(inUse)) return warn(told, advice);
  if (end || days < OLD_CLIENT_DAYS) return ok(told);
  return warn(`${summary}. WhatsApp has rejected versions that were 80 days old.`, advice);
}
