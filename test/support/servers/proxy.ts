import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { sleep } from '../../../src/platform/time/time.ts';

/** A TCP proxy in front of a server, which can inject network faults. It starts without faults. */
export interface Proxy {
  port: number;
  /** Resets every connection, and every new one immediately. */
  cut(): void;
  /** Stalls: forwards nothing, keeps what was sent, and answers no new connection. */
  stall(): void;
  /** Delays everything by that time. */
  slow(ms: number): void;
  /** Ends every fault and forwards what waited. */
  heal(): void;
  close(): Promise<void>;
}

type State =
  | { kind: 'well' | 'cut' }
  | { kind: 'stalled'; over: Promise<void>; heal: () => void }
  | { kind: 'slow'; ms: number };

/** Listens on a free port and forwards everything to the current `target`. */
export async function startProxy(target: () => NetConnectOpts): Promise<Proxy> {
  let state: State = { kind: 'well' };
  const open = new Set<Socket>();

  function become(next: State) {
    if (state.kind === 'stalled') state.heal();
    state = next;
  }

  async function pass() {
    while (state.kind === 'stalled') await state.over;
    if (state.kind === 'slow') await sleep(state.ms);
  }

  function carry(from: Socket, to: Socket) {
    // Chunks stay in order: each waits for the previous one.
    let before = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      before = before.then(pass).then(() => void (to.writable && to.write(piece)));
    });
    from.once('end', () => {
      before = before.then(pass).then(() => void to.end());
    });
    from.on('error', () => from.destroy());
    from.once('close', () => {
      open.delete(from);
      if (state.kind !== 'stalled') void before.then(() => to.destroy());
      else void before.then(pass).then(() => to.destroy());
    });
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (state.kind === 'cut') return client.destroy();
    open.add(client);
    client.pause();
    client.once('error', () => client.destroy());
    void pass().then(() => {
      if (client.destroyed) return;
      const upstream = connect({ ...target(), allowHalfOpen: true });
      open.add(upstream);
      carry(upstream, client);
      carry(client, upstream);
      client.resume();
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy got no port');
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    cut() {
      become({ kind: 'cut' });
      breakAll();
    },
    stall() {
      const { promise: over, resolve: heal } = Promise.withResolvers<void>();
      become({ kind: 'stalled', over, heal });
    },
    slow: (ms) => become({ kind: 'slow', ms }),
    heal: () => become({ kind: 'well' }),
    async close() {
      become({ kind: 'cut' });
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
