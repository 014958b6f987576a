/** Whether WhatsApp can be reached from here, and how old the version is that we say to be. */
import { get as getPlainly, type Agent } from 'node:http';
import { get as getSecurely } from 'node:https';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
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
import { VERSION_REJECTED } from '../../messengers/whatsapp/failures.ts';
import { describeError, find, type Finding } from './finding.ts';

const WHATSAPP = 'https://web.whatsapp.com/';
const PATIENCE_MS = 5_000;

/** The configuration of these checks. */
export interface WhatsAppConfigured {
  messenger: 'sandbox' | 'whatsapp';
  whatsappUrl: string | undefined;
  whatsappCa: string | undefined;
  whatsappVersion: readonly number[] | undefined;
  whatsappProxies: readonly string[];
}

/** Any answer will do: it is the way there that is looked at. */
export async function checkWhatsApp(db: Database | undefined, configured: WhatsAppConfigured): Promise<Finding[]> {
  const isUsed = configured.messenger === 'whatsapp' || (db && (await readClientInUse(db)) !== undefined);
  if (!isUsed) return [find('whatsapp', 'New accounts use the sandbox, and no account was ever on WhatsApp')];
  const url = new URL((configured.whatsappUrl ?? WHATSAPP).replace(/^ws/, 'http'));
  if (configured.whatsappProxies.length > 0) return checkProxies(url, configured);
  try {
    const status = await ask(url, configured.whatsappCa);
    return [find('whatsapp', `${url.host} answers (HTTP ${status})`)];
  } catch (error) {
    return [
      find(
        'whatsapp',
        `${url.host} cannot be reached: ${describeError(error)}`,
        'error',
        'Allow connections from this machine to this host and to *.whatsapp.net on port 443, and DNS lookups.',
      ),
    ];
  }
}

/** Accounts use no other way, so every proxy has to work. */
async function checkProxies(url: URL, { whatsappProxies, whatsappCa }: WhatsAppConfigured): Promise<Finding[]> {
  const { openProxy } = await import('../../messengers/whatsapp/connect/open-proxy.ts');
  const tried = whatsappProxies.map(async (proxy, index) => {
    const name = `Proxy ${index + 1} (${proxyLabel(proxy)})`;
    try {
      const status = await ask(url, whatsappCa, openProxy(proxy).agent);
      return find('whatsapp', `${name} reaches ${url.host} (HTTP ${status})`);
    } catch (error) {
      const advice = 'Correct or remove it in WHATSAPP_PROXIES. Its accounts wait until it works.';
      return find('whatsapp', `${name} does not reach ${url.host}: ${describeError(error)}`, 'error', advice);
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
export async function checkClientVersion(
  db: Database,
  { whatsappVersion: pinned }: WhatsAppConfigured,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (pinned)
    findings.push(
      find(
        'client_version',
        `WHATSAPP_VERSION pins the client version to ${pinned.join('.')}. WhatsApp rejects a version some months after its release.`,
        'warning',
        'Unset WHATSAPP_VERSION to use the newest known version.',
      ),
    );
  const rejected = await countRejectedClients(db);
  if (rejected > 0)
    findings.push(
      find(
        'client_version',
        `WhatsApp rejects this client version. Accounts that cannot connect: ${rejected}`,
        'error',
        'Upgrade Campanile, or set WHATSAPP_VERSION to a current version.',
      ),
    );
  return [...findings, describeAge(await readClientInUse(db))];
}

function describeAge(inUse: ClientInUse | undefined): Finding {
  if (!inUse) {
    const pinned = `${PINNED_VERSION.join('.')}, ${pinnedAgeDays(new Date())} days old`;
    return find('client_version', `No account has connected to WhatsApp yet. This release has version ${pinned}`);
  }
  const { version, acceptedAt, ageMs, end } = inUse;
  const days = toDays(ageMs);
  const since = acceptedAt.toISOString().slice(0, 10);
  const summary = `WhatsApp accepts version ${version}, since ${since}. It is at least ${days} days old`;
  const advice =
    'Upgrade Campanile, or allow requests to web.whatsapp.com and connect.facebook.net, which name the newest version.';
  const told = end ? `${summary}. WhatsApp takes it until ${end.at.toISOString().slice(0, 10)}` : summary;
  if (endsSoon(inUse)) return find('client_version', told, 'warning', advice);
  if (end || days < OLD_CLIENT_DAYS) return find('client_version', told);
  return find('client_version', `${summary}. WhatsApp has rejected versions that were 80 days old.`, 'warning', advice);
}

async function countRejectedClients(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from accounts where status = 'reconnecting' and status_reason = ${VERSION_REJECTED}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
