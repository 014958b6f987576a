/** Whether WhatsApp can be reached from here, and how old the version is that we say to be. */
import { get as getPlainly, type Agent } from 'node:http';
import { get as getSecurely } from 'node:https';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
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
  const isUsed = configured.messenger === 'whatsapp' || (db && (await readLastAcceptedVersion(db)) !== undefined);
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

/** WhatsApp has refused versions after 108 to 153 days. */
const OLD_DAYS = 60;
const DAY_MS = 24 * 60 * 60_000;

/** Which version of its client WhatsApp last let in, and when. */
export async function checkClientVersion(
  db: Database,
  { whatsappVersion: pinned }: WhatsAppConfigured,
): Promise<Finding[]> {
  const lastAccepted = await readLastAcceptedVersion(db);
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
        `WhatsApp rejects this client version. Paused accounts: ${rejected}`,
        'error',
        'Upgrade Campanile, or set WHATSAPP_VERSION to a current version.',
      ),
    );
  if (!lastAccepted) return [...findings, find('client_version', 'No account has connected to WhatsApp yet')];
  const days = Math.max(0, Math.floor((lastAccepted.nowMs - lastAccepted.at.getTime()) / DAY_MS));
  const summary = `WhatsApp last accepted version ${lastAccepted.version} on ${lastAccepted.at.toISOString().slice(0, 10)}`;
  if (days < OLD_DAYS) return [...findings, find('client_version', summary)];
  return [
    ...findings,
    find(
      'client_version',
      `${summary}, ${days} days ago. It rejects versions that are some months old.`,
      'warning',
      'Upgrade Campanile, or allow requests to web.whatsapp.com, which name the newest version.',
    ),
  ];
}

async function readLastAcceptedVersion(
  db: Database,
): Promise<{ version: string; at: Date; nowMs: number } | undefined> {
  const { rows } = await sql<{ version: string; at: Date; now: Date }>`
    select version, let_in_at as at, campanile_now() as now from whatsapp_version`.execute(db);
  const [row] = rows;
  return row && { version: row.version, at: row.at, nowMs: row.now.getTime() };
}

async function countRejectedClients(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from accounts where status = 'paused' and status_reason = ${VERSION_REJECTED}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
