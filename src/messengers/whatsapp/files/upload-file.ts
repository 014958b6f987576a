import { checkServerIdentity } from 'node:tls';
import type { Agent } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { Client } from '../client/client.ts';
import type { FileContent } from './encrypt-file.ts';
import { childOf, childrenOf } from '../client/node.ts';

export interface FileToUpload extends FileContent {
  /** By kind of file and chat, such as `/mms/image`. */
  path: string;
}

export interface UploadOptions {
  /** PEM of the certificate authority of the media hosts. Undefined: the public ones. */
  ca: string | undefined;
  /** Undefined: the hosts are reached directly. */
  agent: Agent | undefined;
  signal: AbortSignal;
}

export interface UploadAnswer {
  url: string | undefined;
  directPath: string;
  handle: string | undefined;
}

/** No media host has accepted the file. */
export class UploadFailedError extends Error {
  /** The answer of the last host; undefined if there was none. */
  readonly status: number | undefined;
  constructor(status: number | undefined, cause?: unknown) {
    super(status === undefined ? 'no media host could be reached' : `the media host answered ${status}`, { cause });
    this.name = 'UploadFailedError';
    this.status = status;
  }
}

const SILENCE_MS = 30_000;
const LONGEST_ANSWER = 64 * 1024;

/** Uploads a file to the first media host that accepts it. Throws UploadFailedError when none does, and as `Client.query` does. */
export async function uploadFile(client: Client, file: FileToUpload, options: UploadOptions): Promise<UploadAnswer> {
  try {
    return await uploadOnce(client, file, options);
  } catch (error) {
    if (!(error instanceof UploadFailedError) || !isAboutToken(error)) throw error;
    // The token may have expired: try once more with a new one.
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
      return await post(new URL(`https://${hostname}${file.path}/${name}?${query}`), file, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error instanceof UploadFailedError ? error : new UploadFailedError(undefined, error);
    }
  }
  throw failure;
}

const isOfChannel = ({ path }: FileToUpload) => path.startsWith('/newsletter/');

/** Without a cache: the library's own function caches a rejection for the whole connection. */
async function fetchMediaHosts(client: Client): Promise<{ auth: string; hostnames: string[] }> {
  const answer = await client.query({ type: 'set', xmlns: 'w:m', content: [{ tag: 'media_conn', attrs: {} }] });
  const connection = childOf(answer, 'media_conn');
  const hosts = childrenOf(connection, 'host').flatMap(({ attrs }) => attrs['hostname'] ?? []);
  return { auth: connection?.attrs['auth'] ?? '', hostnames: hosts };
}

async function post(
  url: URL,
  { pieces, size }: FileToUpload,
  { ca, agent, signal }: UploadOptions,
): Promise<UploadAnswer> {
  const headers = {
    origin: 'https://web.whatsapp.com',
    'content-type': 'application/octet-stream',
    'content-length': size,
  };
  const options: RequestOptions = {
    method: 'POST',
    headers,
    signal,
    agent: agent ?? false,
    // Through a proxy the certificate would be compared with `localhost` where the host is an address.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(url.hostname, certificate),
    ...(ca !== undefined && { ca }),
  };
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
  // A host may answer with an error and hang up before it has received everything.
  const [answer] = await Promise.allSettled([answered, pipeline(Readable.from(pieces()), sent)]);
  if (answer.status === 'rejected') throw answer.reason;
  return readAnswer(answer.value);
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
