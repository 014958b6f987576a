import type { Answer } from './app.ts';

/** A file of a workspace, as the operations on files answer it. */
export interface LibraryFile {
  media_id: number;
  kind: string;
  mime: string;
  size: number;
  sha256: string;
  name: string | null;
  width: number | null;
  height: number | null;
  seconds: number | null;
  has_still: boolean;
}

/** Uploads a file as it is. */
export async function upload(
  url: string,
  token: string,
  bytes: Buffer | ReadableStream<Uint8Array>,
  { name, type, signal }: { name?: string; type?: string; signal?: AbortSignal } = {},
): Promise<Answer<LibraryFile>> {
  // Fetch asks for `duplex` with a stream; its types do not know it.
  const request: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(type !== undefined && { 'content-type': type }),
      ...(name !== undefined && { 'x-file-name': encodeURIComponent(name) }),
    },
    body: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes,
    duplex: 'half',
    ...(signal && { signal }),
  };
  const response = await fetch(`${url}/api/v1/media/upload`, request);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer<LibraryFile>['body'],
  };
}
