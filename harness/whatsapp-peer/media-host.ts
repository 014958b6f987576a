/**
 * The host for the files of posts: encrypted ones for chats under `/mms/`, plain ones for channels under `/newsletter/`.
 * It accepts only a file whose bytes match its path.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { signOwnCertificate } from './certificate.ts';
import type { PeerState } from './state.ts';

export type MediaKind = 'image' | 'video' | 'audio' | 'document';
/** Also the pictures of link previews. */
export type UploadKind = MediaKind | 'thumbnail-link';

/** An uploaded file. */
export interface Upload {
  place: 'chats' | 'channels';
  kind: UploadKind;
  /** Encrypted, for chats. */
  bytes: Buffer;
  /** The path that posts refer to. */
  directPath: string;
  /** The handle in a post to a channel. */
  handle: string;
}

export interface MediaHost {
  /** With the port. */
  hostname: string;
  /** The token that uploads require. */
  auth: string;
  /** PEM of its certificate. */
  certificate: string;
  close(): Promise<void>;
}

const PLACES = new Map(
  (['image', 'video', 'audio', 'document', 'thumbnail-link'] as const).flatMap(
    (kind): Array<[string, Pick<Upload, 'place' | 'kind'>]> => [
      [`/mms/${kind}`, { place: 'chats', kind }],
      [`/newsletter/newsletter-${kind}`, { place: 'channels', kind }],
    ],
  ),
);
export const LARGEST_UPLOAD = 100 * 1024 * 1024;

export async function startMediaHost(state: () => PeerState): Promise<MediaHost> {
  const { certificate, privateKey } = signOwnCertificate();
  const auth = randomBytes(12).toString('base64');
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    // Aborted uploads are ignored.
    void serve(state(), auth, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { hostname: `127.0.0.1:${port}`, auth, certificate, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

async function serve(state: PeerState, auth: string, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'https://peer');
  if (request.method === 'GET') return answerFile(state, url.pathname, response);
  const slash = url.pathname.lastIndexOf('/');
  const place = PLACES.get(url.pathname.slice(0, slash));
  const hash = decodeURIComponent(url.pathname.slice(slash + 1)).replace(/=+$/, '');
  const body = await buffer(request);
  const refused = await state.script.refuseUpload({ ...place, size: body.length });
  if (refused === 'cut') return response.destroy();
  const code = refused ?? judge({ place, hash, body, auth, url, request });
  if (code !== undefined || !place) return answer(response, code ?? 404, { error: String(code) });
  const directPath = `/v/${hash}-${state.uploads.length}`;
  const handle = `handle-${randomBytes(6).toString('hex')}`;
  state.uploads.push({ ...place, bytes: body, directPath, handle });
  const told = { url: `https://${request.headers.host}${directPath}`, direct_path: directPath };
  return answer(response, 200, place.place === 'channels' ? { ...told, handle } : told);
}

/** Returns an error code; undefined if the file is accepted. */
function judge(asked: {
  place: Pick<Upload, 'place' | 'kind'> | undefined;
  hash: string;
  body: Buffer;
  auth: string;
  url: URL;
  request: IncomingMessage;
}): number | undefined {
  const { place, hash, body, auth, url, request } = asked;
  if (request.method !== 'POST' || !place) return 404;
  if (url.searchParams.get('auth') !== auth) return 401;
  if (request.headers.origin !== 'https://web.whatsapp.com') return 403;
  if (body.length > LARGEST_UPLOAD) return 413;
  const isSame = createHash('sha256').update(body).digest('base64url') === hash;
  return isSame && url.searchParams.get('token')?.replace(/=+$/, '') === hash ? undefined : 400;
}

function answerFile(state: PeerState, path: string, response: ServerResponse): void {
  const found = state.uploads.find(({ directPath }) => directPath === path);
  response.statusCode = found ? 200 : 404;
  response.end(found?.bytes);
}

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
