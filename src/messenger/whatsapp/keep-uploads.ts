/** Uploads each file once for all chats it goes to, whatever number of tries that takes. */
import type { WASocket } from 'baileys';
import type { Database } from '../../database/connect.ts';
import { collectDeadBuffers } from '../../lib/collect-garbage.ts';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import { sleep } from '../../lib/time.ts';
import type { PostMedia, SendResult } from '../messenger.ts';
import { keepRecent } from './keep-recent.ts';
import { prepareFile } from './prepare-file.ts';
import { UploadFailedError, uploadFile } from './upload-file.ts';
import { findUpload, noteUpload, type Uploaded, type UploadKey, type UploadPlace } from './uploads-table.ts';

export interface Uploads {
  /**
   * The uploaded file. Waits a few seconds for it and throws NotUploadedError after that, while the upload goes on: nobody's turn
   * takes longer because a file is large. Throws that too when the file cannot be uploaded, and what the client throws when
   * WhatsApp refuses to say where to.
   */
  get(media: PostMedia, place: UploadPlace, by: Uploader): Promise<Uploaded>;
}

/** In whose name a file is uploaded. */
export interface Uploader {
  accountId: number;
  client: WASocket;
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
  places: Slots;
  /** How long a post waits for its file, in milliseconds. */
  waitMs: number;
  /** How long after the hosts were away they are tried again, in milliseconds. */
  retryMs: number;
}

const KEPT = 500;
/** After that the table is asked again whether an upload is still good. */
const KEPT_MS = 30 * 60_000;
const LOOK_AGAIN_MS = 1_000;
const REFUSED_FOR_MS = 60_000;

export function keepUploads({ db, log, ca, places, waitMs, retryMs }: UploadsOptions): Uploads {
  const uploads = keepRecent<Uploaded>({ most: KEPT, forMs: KEPT_MS });
  const failures = keepFailures();

  async function findOrUpload(media: PostMedia, key: UploadKey, { client, signal }: Uploader): Promise<Uploaded> {
    const known = await findUpload(db, key);
    if (known) return known;
    const giveBack = await places.take({ signal });
    try {
      const { file, describe } = await prepareFile(media, key.place);
      const answer = await uploadFile(client, file, { ca, signal });
      const uploaded = { message: describe(answer), handle: answer.handle };
      await noteUpload(db, key, uploaded);
      return uploaded;
    } finally {
      giveBack();
      collectDeadBuffers();
    }
  }

  async function upload(name: string, media: PostMedia, key: UploadKey, by: Uploader): Promise<Uploaded> {
    try {
      return await findOrUpload(media, key, by);
    } catch (error) {
      if (!(error instanceof UploadFailedError)) throw error;
      log.warn({ err: error, accountId: by.accountId }, 'a file could not be uploaded to WhatsApp');
      const result = judgeFailure(error, retryMs);
      failures.note(name, result);
      throw new NotUploadedError(result);
    }
  }

  return {
    async get(media, place, by) {
      const { accountId } = by;
      const name = `${accountId} ${place} ${media.sha256.toString('hex')}`;
      const failed = failures.find(name);
      if (failed) throw new NotUploadedError(failed);
      const key = { accountId, sha256: media.sha256, place };
      const uploading = uploads.get(name, () => upload(name, media, key, by));
      const waiting = new AbortController();
      const uploaded = await Promise.race([uploading, sleep(waitMs, waiting.signal)]).finally(() => waiting.abort());
      if (uploaded) return uploaded;
      throw new NotUploadedError({ kind: 'later', reason: 'The file is being uploaded', waitMs: LOOK_AGAIN_MS });
    },
  };
}

/** What could not be uploaded just now is not tried again for each chat that it was meant for. */
function keepFailures() {
  const noted = new Map<string, { result: NotUploaded; untilMs: number }>();
  return {
    find(name: string): NotUploaded | undefined {
      const found = noted.get(name);
      return found && found.untilMs > performance.now() ? found.result : undefined;
    },
    note(name: string, result: NotUploaded): void {
      const nowMs = performance.now();
      for (const [old, { untilMs }] of noted) if (untilMs <= nowMs) noted.delete(old);
      noted.set(name, { result, untilMs: nowMs + (result.kind === 'later' ? result.waitMs : REFUSED_FOR_MS) });
    },
  };
}

/** A host that is away or busy is waited for, as a connection is; what it refuses uses up tries. */
function judgeFailure({ status }: UploadFailedError, retryMs: number): NotUploaded {
  switch (status) {
    case 413:
    case 415:
      return { kind: 'refused', reason: `WhatsApp does not take this file (${status})`, final: true };
    case undefined:
    case 401:
    case 408:
    case 429:
      break;
    default:
      if (status >= 500) break;
      return { kind: 'refused', reason: `WhatsApp refused the file for the moment (${status})`, final: false };
  }
  return { kind: 'later', reason: 'The file could not be uploaded yet', waitMs: retryMs };
}
