import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** A line to a server on which what comes from its clients arrives later. What follows does not wait for what went before. */
export interface DelayLine {
  port: number;
  /** From now on so much later; not exact, since a timer of Node.js is late by up to a millisecond. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startDelayLine(target: () => NetConnectOpts): Promise<DelayLine> {
  let delayMs = 0;
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target() });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    upstream.pipe(client);
    client.on('data', (piece: Buffer) => {
      if (delayMs === 0) upstream.write(piece);
      // Timers of one length end in the order in which they began.
      else setTimeout(() => void (upstream.writable && upstream.write(piece)), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the delay line got no port');
  return {
    port: address.port,
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
