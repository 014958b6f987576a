import { request, type RequestOptions } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { Client } from '../client/client.ts';
import { childOf, childrenOf } from '../client/node.ts';

export interface FileToUpload {
  /** Which kind of file for which kind of chat: `/mms/image`. */
  path: string;
  bytes: Buffer;
  sha256: Buffer;
}

export interface UploadOptions {
  /** PEM of who signs the certificates of the media hosts. Undefined: those that everybody trusts. */
  ca: string | undefined;
  signal: AbortSignal;
}

/** Where the file is now, in WhatsApp's words. */
export interface UploadAnswer {
  url: string | undefined;
  directPath: string;
  handle: string | undefined;
}

/** No media host has taken the file. */
export class UploadFailedError extends Error {
  /** What the last one answered; undefined: nothing. */
  readonly status: number | undefined;
  constructor(status: number | undefined, cause?: unknown) {
    super(status === undefined ? 'no media host could be reached' : `the media host answered ${status}`, { cause });
    this.name = 'UploadFailedError';
    this.status = status;
  }
}

const SILENCE_MS = 30_000;
const PIECE_BYTES = 64 * 1024;
const LONGEST_ANSWER = 64 * 1024;

/**
 * Uploads a file to the first of WhatsApp's media hosts that takes it. Throws UploadFailedError when none does, and what the
 * client throws when it cannot ask for the hosts (see `refusalOf`).
 */
export async function uploadFile(client: Client, file: FileToUpload, options: UploadOptions): Promise<UploadAnswer> {
  try {
    return await uploadOnce(client, file, options);
  } catch (error) {
    if (!(error instanceof UploadFailedError) || !isAboutToken(error)) throw error;
    // The token was good for a while and may have been used up by then; another one tells whether it was that.
    return uploadOnce(client, file, options);
  }
}

const isAboutToken = ({ status }: UploadFailedError) => status === 401 || status === 403;

async function uploadOnce(client: Client, file: FileToUpload, options: UploadOptions): Promise<UploadAnswer> {
  const { auth, hostnames } = await unlessAborted(fetchMediaHosts(client), options.signal);
  const name = file.sha256.toString('base64url');
  const query = new URLSearchParams({ auth, token: name, ...(isOfChannel(file) && { server_thumb_gen: '1' }) });
  let failure = new UploadFailedError(undefined);
  for (const hostname of hostnames) {
    try {
      return await post(new URL(`https://${hostname}${file.path}/${name}?${query}`), file.bytes, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error instanceof UploadFailedError ? error : new UploadFailedError(undefined, error);
    }
  }
  throw failure;
}

const isOfChannel = ({ path }: FileToUpload) => path.startsWith('/newsletter/');

/** Asked anew each time: the client's own function keeps a refusal for as long as the connection stands. */
async function fetchMediaHosts(client: Client): Promise<{ auth: string; hostnames: string[] }> {
  const answer = await client.query({ type: 'set', xmlns: 'w:m', content: [{ tag: 'media_conn', attrs: {} }] });
  const told = childOf(answer, 'media_conn');
  const hosts = childrenOf(told, 'host').flatMap(({ attrs }) => attrs['hostname'] ?? []);
  return { auth: told?.attrs['auth'] ?? '', hostnames: hosts };
}

async function post(url: URL, bytes: Buffer, { ca, signal }: UploadOptions): Promise<UploadAnswer> {
  const headers = {
    origin: 'https://web.whatsapp.com',
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
  };
  const options: RequestOptions = { method: 'POST', headers, signal, agent: false, ...(ca !== undefined && { ca }) };
  const sent = request(url, options);
  sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error('the media host is silent')));
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        body += piece;
        if (body.length > LONGEST_ANSWER) response.destroy(new Error('the media host says too much'));
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new UploadFailedError(response.statusCode)),
      );
    });
  });
  // A host may refuse before it has everything, and hang up: what it said counts.
  const [answer] = await Promise.allSettled([answered, pipeline(Readable.from(piecesOf(bytes)), sent)]);
  if (answer.status === 'rejected') throw answer.reason;
  return readAnswer(answer.value);
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

function readAnswer(body: string): UploadAnswer {
  const { url, direct_path, handle } = JSON.parse(body) as Record<string, unknown>;
  if (typeof direct_path !== 'string') throw new Error('the media host has not said where the file is');
  return {
    url: typeof url === 'string' ? url : undefined,
    directPath: direct_path,
    handle: typeof handle === 'string' ? handle : undefined,
  };
}
