import { BlockedAddressError } from '../../platform/http-client/validate-url.ts';
import type { Download, Downloader } from '../../platform/http-client/safe-http-client.ts';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Transfer } from '../../platform/concurrency/transfers.ts';
import { LARGEST_MEDIA } from './media-limits.ts';
import { receiveMedia, type ReceiveDeps } from './receive-media.ts';

export interface ImportDeps extends ReceiveDeps {
  egress: Downloader;
}

/** The download as a whole. Shorter than the idle time of the connection on which the caller waits. */
const LONGEST_MS = 45_000;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const FIELD = 'url';

/**
 * Keeps the file at a URL for a workspace (contract §4, files). Returns its id. Throws 400 for an address that is not permitted, one that
 * does not answer with a file in time, and for a file that `receiveMedia` does not accept.
 */
export async function importMedia(
  { egress, ...deps }: ImportDeps,
  actor: Actor,
  { url, name, transfer }: { url: string; name: string | undefined; transfer: Transfer },
): Promise<number> {
  const signal = AbortSignal.any([AbortSignal.timeout(LONGEST_MS), transfer.signal]);
  const { answer, finalUrl } = await fromSite(transfer.wait(follow(egress, url, signal)));
  try {
    if (answer.status !== 200) throw failed(`answered ${answer.status}`);
    const length = Number(answer.headers['content-length']);
    if (length > LARGEST_MEDIA) throw failed(`is larger than ${LARGEST_MEDIA / 1024 ** 2} MiB`);
    return await fromSite(
      receiveMedia(deps, actor, {
        field: FIELD,
        bytes: transfer.receive(readable(answer.bytes)),
        announcedSize: Number.isSafeInteger(length) ? length : undefined,
        declared: answer.headers['content-type'],
        name: name ?? nameIn(finalUrl),
      }),
    );
  } finally {
    answer.discard();
  }
}

/** A transfer that was too slow is the site's fault. */
async function fromSite<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'body_too_slow') throw error;
    throw failed(`gives its file too slowly. ${error.message}`, error);
  }
}

async function follow(
  egress: Downloader,
  text: string,
  signal: AbortSignal,
): Promise<{ answer: Download; finalUrl: string }> {
  let url = text;
  for (let left = MOST_REDIRECTS; ; left--) {
    const answer = await begin(egress, url, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return { answer, finalUrl: url };
    answer.discard();
    if (left === 0) throw failed(`leads on more than ${MOST_REDIRECTS} times`);
    if (!URL.canParse(location, url)) throw failed('leads on to no URL');
    // SSRF protection: each of them is checked like the first.
    url = withoutFragment(new URL(location, url));
  }
}

async function begin(egress: Downloader, url: string, signal: AbortSignal): Promise<Download> {
  try {
    return await egress.download(url, { headers: { accept: '*/*', 'accept-encoding': 'identity' }, signal });
  } catch (error) {
    if (error instanceof BlockedAddressError) throw failed(error.message);
    throw failed('does not answer', error);
  }
}

async function* readable(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes[Symbol.asyncIterator]();
  for (;;) {
    const next = await reader.next().catch((error: unknown) => {
      throw failed(`did not give the whole file within ${LONGEST_MS / 1_000} s`, error);
    });
    if (next.done) return;
    yield next.value;
  }
}

function withoutFragment(url: URL): string {
  url.hash = '';
  return url.href;
}

const LONGEST_NAME = 200;

/** The last part of its path; undefined if there is none. */
function nameIn(url: string): string | undefined {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return (
    decode(last)
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, LONGEST_NAME)
      .toWellFormed() || undefined
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function failed(issue: string, cause?: unknown): AppError {
  return invalid([{ field: FIELD, issue }], undefined, cause);
}
