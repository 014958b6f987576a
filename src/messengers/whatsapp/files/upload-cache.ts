/** Uploads each file once for all chats it goes to, whatever number of tries that takes. */
import { LRUCache } from 'lru-cache';
import type { Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { PostMedia, SendResult } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import { prepareFile } from './prepare-file.ts';
import { UploadFailedError, uploadFile } from './upload-file.ts';
import { findUpload, recordUpload, type Uploaded, type UploadKey, type UploadTarget } from './uploads-table.ts';

export interface UploadCache {
  /**
   * The uploaded file. Waits a few seconds for it and throws NotUploadedError after that, while the upload goes on: nobody's turn
   * takes longer because a file is large. Throws that too when the file cannot be uploaded, and what the client throws when
   * WhatsApp asks for rest in place of saying where to.
   */
  get(media: PostMedia, target: UploadTarget, by: Uploader): Promise<Uploaded>;
}

/** In whose name a file is uploaded. */
export interface Uploader {
  accountId: number;
  client: Client;
  /** Aborted when the account is to be left alone. */
  signal: AbortSignal;
}

/** A post cannot leave, for want of its file. */
export class NotUploadedError extends Error {
  /** What the try came to. */
  readonly result: NotUploaded;
  constructor(result: NotUploaded) {
    super(result.reason);
    this.name = 'NotUploadedError';
    this.result = result;
  }
}

type NotUploaded = Extract<SendResult, { kind: 'refused' | 'later' }>;

export interface UploadsOptions {
  db: Database;
  log: Log;
  /** PEM of who signs the certificates of the media hosts. Undefined: those that everybody trusts. */
  ca: string | undefined;
  /** Places for files that are prepared and uploaded: each is in memory twice. */
  permits: FairSemaphore;
  /** How long a post waits for its file, in milliseconds. */
  waitMs: number;
  /** How long after the hosts were away they are tried again, in milliseconds; twice as long each time, up to five minutes. */
  retryMs: number;
}

const MAX_CACHED = 500;
/** After that the table is asked again whether an upload is still good. */
const CACHE_TTL_MS = 30 * 60_000;
const POLL_AGAIN_MS = 1_000;
const REJECTION_TTL_MS = 60_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export function createUploadCache({ db, log, ca, permits, waitMs, retryMs }: UploadsOptions): UploadCache {
  const uploads = new LRUCache<string, Uploaded, () => Promise<Uploaded>>({
    max: MAX_CACHED,
    ttl: CACHE_TTL_MS,
    fetchMethod: (_name, _stale, { context: find }) => find(),
    ignoreFetchAbort: true,
  });
  const failures = createFailureCache();

  async function findOrUpload(
    media: PostMedia,
    key: UploadKey,
    { accountId, client, signal }: Uploader,
  ): Promise<Uploaded> {
    const known = await findUpload(db, key);
    if (known) return known;
    const release = await permits.acquire({ key: String(accountId), signal });
    try {
      const { file, describe } = await prepareFile(media, key.target);
      const answer = await uploadFile(client, file, { ca, signal });
      const uploaded = { message: describe(answer), handle: answer.handle };
      await recordUpload(db, key, uploaded);
      return uploaded;
    } finally {
      release();
    }
  }

  async function upload(name: string, media: PostMedia, key: UploadKey, by: Uploader): Promise<Uploaded> {
    try {
      const uploaded = await findOrUpload(media, key, by);
      failures.forget(name);
      return uploaded;
    } catch (error) {
      const result = classifyUploadFailure(error, retryMs);
      if (!result) throw error;
      log.warn({ err: error, accountId: by.accountId }, 'a file could not be uploaded to WhatsApp');
      throw new NotUploadedError(failures.add(name, result));
    }
  }

  return {
    async get(media, target, by) {
      const { accountId } = by;
      const name = `${accountId} ${target} ${media.sha256.toString('hex')}`;
      const failed = failures.find(name);
      if (failed) throw new NotUploadedError(failed);
      const key = { accountId, sha256: media.sha256, target };
      const uploading = uploads.forceFetch(name, { context: () => upload(name, media, key, by) });
      const waiting = new AbortController();
      const uploaded = await Promise.race([uploading, sleep(waitMs, waiting.signal)]).finally(() => waiting.abort());
      if (uploaded) return uploaded;
      throw new NotUploadedError({ kind: 'later', reason: 'The file is being uploaded', waitMs: POLL_AGAIN_MS });
    },
  };
}

/** What could not be uploaded just now is not tried again for each chat that it was meant for. */
function createFailureCache() {
  const failures = new Map<string, { result: NotUploaded; untilMs: number; times: number }>();
  return {
    find(name: string): NotUploaded | undefined {
      const found = failures.get(name);
      return found && found.untilMs > performance.now() ? found.result : undefined;
    },
    /** The result as it is from now on: what is waited for, longer each time. */
    add(name: string, result: NotUploaded): NotUploaded {
      const nowMs = performance.now();
      for (const [old, { untilMs }] of failures) if (untilMs <= nowMs - LONGEST_RETRY_MS) failures.delete(old);
      const times = failures.get(name)?.times ?? 0;
      const forMs = result.kind === 'later' ? Math.min(result.waitMs * 2 ** times, LONGEST_RETRY_MS) : REJECTION_TTL_MS;
      const longer = result.kind === 'later' ? { ...result, waitMs: forMs } : result;
      failures.set(name, { result: longer, untilMs: nowMs + forMs, times: times + 1 });
      return longer;
    },
    forget: (name: string) => void failures.delete(name),
  };
}

/**
 * What it means for the post. A host that is away or busy is waited for, as a connection is; what is refused uses up tries.
 * Undefined: it is no matter of files.
 */
function classifyUploadFailure(error: unknown, retryMs: number): NotUploaded | undefined {
  if (error instanceof UploadFailedError) return classifyUploadStatus(error.status, retryMs);
  const code = rejectionCodeOf(error);
  if (code === undefined || classifyRejection(code).kind === 'cooldown') return undefined;
  return { kind: 'refused', reason: `WhatsApp did not say where to upload the file to (${code})`, final: false };
}

function classifyUploadStatus(status: number | undefined, retryMs: number): NotUploaded {
  switch (status) {
    case 413:
      return { kind: 'refused', reason: 'WhatsApp does not take a file of this size (413)', final: true };
    case 415:
      return { kind: 'refused', reason: 'WhatsApp does not take this file (415)', final: true };
    case undefined:
    case 408:
    case 429:
      break;
    default:
      if (status >= 500) break;
      return {
        kind: 'refused',
        reason: `WhatsApp's media host refused the file for the moment (${status})`,
        final: false,
      };
  }
  return { kind: 'later', reason: 'The file could not be uploaded yet', waitMs: retryMs };
}
