/** Uploads each file once for all chats, and caches the upload. */
import type { Agent } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../../platform/database/statements.ts';
import type { Log } from '../../../platform/log/log.ts';
import { withPermit, type FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import { describeFailure } from '../../../platform/errors/failures.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { PostMedia, SendResult } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import { prepareFile } from './prepare-file.ts';
import { UploadFailedError, uploadFile } from './upload-file.ts';
import { findUpload, recordUpload, type Uploaded, type UploadKey, type UploadTarget } from './uploads-table.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export type UploadCache = ReturnType<typeof createUploadCache>;

export interface Uploader {
  accountId: AccountId;
  client: Client;
  /** Undefined: the media hosts are reached directly. */
  agent: Agent | undefined;
  /** Aborted when the session is closed. */
  signal: AbortSignal;
}

export class NotUploadedError extends Error {
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
  /** PEM of the certificate authority of the media hosts. Undefined: the public ones. */
  ca: string | undefined;
  /** Permits for files that are prepared and uploaded: a picture is in memory meanwhile. */
  permits: FairSemaphore;
  /** How long `get` waits for an upload, in milliseconds. */
  waitMs: number;
  /** The first pause after the hosts were unreachable, in milliseconds. Exponential backoff, up to five minutes. */
  retryMs: number;
}

const MAX_CACHED = 500;
/** After that the table decides again whether an upload is still valid. */
const CACHE_TTL_MS = 30 * 60_000;
const POLL_AGAIN_MS = 1_000;
const REJECTION_TTL_MS = 60_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export function createUploadCache({ db, log, ca, permits, waitMs, retryMs }: UploadsOptions) {
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
    { accountId, client, agent, signal }: Uploader,
  ): Promise<Uploaded> {
    const known = await findUpload(db, key);
    if (known) return known;
    const prepareAndUpload = async () => {
      const { file, describe } = await prepareFile(media, key);
      const answer = await uploadFile(client, file, { ca, agent, signal });
      const uploaded = { message: describe(answer), handle: answer.handle };
      await recordUpload(db, key, uploaded);
      return uploaded;
    };
    return withPermit(permits, prepareAndUpload, { party: [`account ${accountId}`], signal });
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
    /**
     * The uploaded file. Throws NotUploadedError when the upload takes longer than a few seconds, in which case it goes on, so that a
     * large file does not hold up a turn; also when the file cannot be uploaded. Throws as the client does when WhatsApp asks for a
     * cool-down in place of naming its media hosts.
     */
    async get(media: PostMedia, target: UploadTarget, by: Uploader): Promise<Uploaded> {
      const { accountId } = by;
      const name = `${accountId} ${target} ${media.sha256.toString('hex')}`;
      const failed = failures.find(name);
      if (failed) throw new NotUploadedError(failed);
      const key = { accountId, sha256: media.sha256, target };
      const uploading = uploads.forceFetch(name, { context: () => upload(name, media, key, by) });
      const waiting = new AbortController();
      const uploaded = await Promise.race([uploading, sleep(waitMs, waiting.signal)]).finally(() => waiting.abort());
      if (uploaded) return uploaded;
      throw new NotUploadedError({ kind: 'later', ...describeFailure('file_uploading'), waitMs: POLL_AGAIN_MS });
    },
  };
}

/** Circuit breaker: after a failure, a file is not tried again for each of its chats. */
function createFailureCache() {
  const failures = new Map<string, { result: NotUploaded; untilMs: number; times: number }>();
  return {
    find(name: string): NotUploaded | undefined {
      const found = failures.get(name);
      return found && found.untilMs > performance.now() ? found.result : undefined;
    },
    /** Returns the result, whose pause doubles each time. */
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
 * An unreachable or busy host is waited for, as a connection is; a rejection uses up attempts. Undefined if the error is not about the
 * file.
 */
function classifyUploadFailure(error: unknown, retryMs: number): NotUploaded | undefined {
  if (error instanceof UploadFailedError) return classifyUploadStatus(error.status, retryMs);
  const code = rejectionCodeOf(error);
  if (code === undefined || classifyRejection(code).kind === 'cooldown') return undefined;
  return { kind: 'refused', ...describeFailure('upload_refused', { code }), final: false };
}

function classifyUploadStatus(status: number | undefined, retryMs: number): NotUploaded {
  switch (status) {
    case 413:
      return { kind: 'refused', ...describeFailure('file_too_large', { code: status }), final: true };
    case 415:
      return { kind: 'refused', ...describeFailure('file_type_refused', { code: status }), final: true };
    case undefined:
    case 408:
    case 429:
      break;
    default:
      if (status >= 500) break;
      return { kind: 'refused', ...describeFailure('file_refused', { code: status }), final: false };
  }
  return { kind: 'later', ...describeFailure('file_not_uploaded'), waitMs: retryMs };
}
