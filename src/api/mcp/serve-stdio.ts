import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createCheckStore } from './checked-campaigns.ts';
import { createMcpServer } from './create-server.ts';

/** Serves one client over its pipes, until it closes ours. */
export async function serveMcpStdio(
  { url, token }: { url: string; token: string },
  { input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<void> {
  if (!(input instanceof Readable) || !(output instanceof Writable)) throw new Error('stdio has to be streams');
  const checked = createCheckStore(() => performance.now());
  const ended = once(input, 'close');
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(() => createMcpServer({ url, token, checked }), { transport });
  await ended;
  await handle.close();
}
