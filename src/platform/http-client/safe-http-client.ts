import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { AllowedHosts } from '../network/allowed-hosts.ts';
import { unlessAborted } from '../concurrency/unless-aborted.ts';
import { invalid } from '../errors/errors.ts';
import { BlockedAddressError, validateUrl, type EgressRules } from './validate-url.ts';
import { parseRetryAfter } from './retry-after.ts';
import { createDnsLookup, resolveHost, type DnsLookup } from './resolve-host.ts';

/** The only way in which an address that a user named, or a page of others, is asked. */
export interface Egress {
  /** Throws `invalid` on a field whose URL may not be asked, without looking its name up. */
  requireUrl(field: string, text: string): void;
  /**
   * Posts to `url` and returns the response with any status. Follows no redirect. Throws `BlockedAddressError` for an address that is not
   * permitted, and another error when no response comes within 15 s.
   */
  post(url: string, request: EgressRequest): Promise<EgressAnswer>;
  close(): void;
}

export interface PageReader {
  /** Gets `url`, with the rules of `Egress.post`. Without a response it rejects; one that breaks off is as long as it came. */
  get(url: string, request: EgressGet): Promise<PageAnswer>;
}

export interface Downloader {
  /** Gets `url`, with the rules of `Egress.post`. Resolves when the answer begins; the rest has to come before `signal` is aborted. */
  download(url: string, request: { headers: Readonly<Record<string, string>>; signal: AbortSignal }): Promise<Download>;
}

export interface Download {
  status: number;
  /** Its headers, by lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Rejects when the connection breaks. To be read, or left by `discard`. */
  bytes: AsyncIterable<Uint8Array>;
  discard(): void;
}

export interface EgressRequest {
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
  /** Breaks it off. */
  signal?: AbortSignal;
}

export interface EgressGet {
  headers: Readonly<Record<string, string>>;
  /** So much of the answer is kept. */
  maxBytes: number;
  /** Breaks it off. */
  signal?: AbortSignal;
}

export interface EgressAnswer {
  status: number;
  /** The seconds in its `retry-after` header; 0 without one. */
  retryAfterSeconds: number;
  /** Its first KiB, or `maxBytes`, as text. */
  body: string;
}

export interface PageAnswer extends EgressAnswer {
  /** The same as `body`, whatever its encoding. */
  bytes: Buffer;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** Of a redirect: where to, as the server wrote it. */
  location: string | undefined;
}

export interface EgressOptions extends EgressRules {
  allowed: AllowedHosts;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as far as they are set. */
  proxy?: Readonly<Record<string, string>>;
  lookup?: DnsLookup;
  /** Certificates to trust beside the usual ones, as PEM. */
  ca?: string;
  timeoutMs?: number;
}

interface Asked {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | undefined;
  signal: AbortSignal | undefined;
  maxBytes: number;
}

type Begun = Pick<Asked, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1_024;
const IDLE_MS = 10_000;

/**
 * SSRF protection: requests URLs that users name. The host must resolve to public addresses, or to addresses that the operator allows.
 * DNS rebinding protection: the request connects to the address that was checked, and no name server is asked again.
 */
export function createSafeHttpClient({
  allowHttp,
  allowed,
  proxy,
  lookup = createDnsLookup(),
  ca,
  timeoutMs = TIMEOUT_MS,
}: EgressOptions): Egress & PageReader & Downloader {
  // No `maxSockets`: it would be one limit per host, shared by all workspaces. Callers hold permits instead.
  const settings = { keepAlive: true, timeout: IDLE_MS, ...(proxy && { proxyEnv: proxy }) };
  const agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent({ ...settings, ...(ca && { ca }) }) };

  const post = (text: string, { headers, body, signal }: EgressRequest) =>
    ask(text, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      body,
      signal,
      maxBytes: MAX_ANSWER_BYTES,
    });
  const get = (text: string, { headers, signal, maxBytes }: EgressGet) =>
    ask(text, { method: 'GET', headers, body: undefined, signal, maxBytes });

  async function ask(text: string, { signal: given, maxBytes, ...asked }: Asked) {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = given ? AbortSignal.any([timeout, given]) : timeout;
    return readAnswer(await begin(text, { ...asked, signal }), maxBytes);
  }

  async function download(text: string, { headers, signal }: { headers: Asked['headers']; signal: AbortSignal }) {
    const response = await begin(text, { method: 'GET', headers, body: undefined, signal });
    return {
      status: response.statusCode ?? 0,
      headers: response.headers as Download['headers'],
      bytes: response,
      discard: () => void response.on('error', () => undefined).destroy(),
    };
  }

  async function begin(text: string, asked: Begun): Promise<IncomingMessage> {
    const url = validateUrl(text, { allowHttp });
    const address = await unlessAborted(resolveHost(url.hostname, { lookup, allowed }), asked.signal);
    return sendRequest(url, { ...asked, address, agent: agents[url.protocol === 'https:' ? 'https:' : 'http:'] });
  }

  return {
    requireUrl(field, text) {
      try {
        validateUrl(text, { allowHttp });
      } catch (error) {
        throw error instanceof BlockedAddressError ? invalid([{ field, ...error.details }]) : error;
      }
    },
    post,
    get,
    download,
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/** Resolves when the answer begins. */
function sendRequest(
  url: URL,
  { address, agent, method, headers, body, signal }: Begun & { address: string; agent: HttpAgent },
): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  const request = (isHttps ? requestHttps : requestHttp)({
    // By its address, so that neither a name server nor a proxy is asked for the name again.
    host: address,
    port: url.port === '' ? (isHttps ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers, host: url.host },
    // Its certificate has to be one of the name all the same.
    ...(isHttps && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: url.hostname.replace(/\.$/, '') }),
    agent,
    signal,
  });
  const response = beginAnswer(request);
  request.end(body);
  return response;
}

function beginAnswer(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
  });
}

/** The status counts once it has come, however the rest goes. */
async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<PageAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    // Also when it breaks off or takes too long: a request that has been answered rejects nothing any more.
    response.once('close', resolve);
    response.on('error', () => resolve());
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) response.destroy();
    });
  });
  const answer = Buffer.concat(chunks).subarray(0, maxBytes);
  const { headers } = response;
  return {
    status: response.statusCode ?? 0,
    retryAfterSeconds: parseRetryAfter(headers['retry-after']),
    bytes: answer,
    // Decoded by those who want a text: pages are up to 2 MiB.
    get body() {
      return answer.toString('utf8');
    },
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    location: headers.location,
  };
}
