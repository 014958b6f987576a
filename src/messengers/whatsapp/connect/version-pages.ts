/** Pages that name the current version of WhatsApp's client. WhatsApp and Facebook are built together, under one revision. */
import type { Log } from '../../../platform/log/log.ts';
import type { PageReader } from '../../../platform/http-client/safe-http-client.ts';
import { PINNED_VERSION } from './pinned-version.ts';

export interface VersionPage {
  url: string;
  /** Its first group is the revision. */
  revision: RegExp;
}

/** WhatsApp Web's service worker, and the first line of Facebook's JavaScript SDK. */
export const VERSION_PAGES: readonly VersionPage[] = [
  { url: 'https://web.whatsapp.com/sw.js', revision: /\\?"client_revision\\?":\s*(\d+)/ },
  { url: 'https://connect.facebook.net/en_US/sdk.js', revision: /JIT Construction: v(\d+)/ },
];

const LIMIT_MS = 3_000;
const MAX_BYTES = 2 * 2 ** 20;
/** Without these headers, WhatsApp serves another page. */
const LIKE_A_BROWSER = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
const LAST_UINT32 = 0xffff_ffff;

/** Resolves to the versions that the pages name, within three seconds. Never rejects. */
export async function readVersionPages(
  http: PageReader,
  pages: readonly VersionPage[],
  log: Log,
): Promise<Array<[number, number, number]>> {
  const found = await Promise.all(pages.map((page) => readRevision(http, page, log)));
  const [first, second] = PINNED_VERSION;
  return found.flatMap((revision) => (revision === undefined ? [] : [[first, second, revision]]));
}

async function readRevision(http: PageReader, { url, revision }: VersionPage, log: Log) {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const { status, body } = await http.get(url, { headers: LIKE_A_BROWSER, maxBytes: MAX_BYTES, signal });
    const found = Number(revision.exec(body)?.[1]);
    if (!(found <= LAST_UINT32)) throw new Error(`the page (${status}) names no version`);
    return found;
  } catch (error) {
    log.info({ err: error, url }, 'a page does not say which version WhatsApp’s client has today');
    return undefined;
  }
}
