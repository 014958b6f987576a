import { connect, type Socket } from 'node:net';

/** A connection below HTTP: sends bytes as they are and collects what comes back. */
export interface RawConnection {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** What came so far, once `isEnough` says so or the connection has ended. */
  received(isEnough?: (text: string) => boolean): Promise<string>;
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let ended = false;
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    announce();
  });
  for (const event of ['close', 'error'])
    socket.on(event, () => {
      ended = true;
      announce();
    });
  return {
    socket,
    send: (data) => void socket.write(data),
    received: (isEnough = () => false) =>
      new Promise((resolve) => {
        const look = () => {
          if (!ended && !isEnough(text)) return;
          listeners.delete(look);
          resolve(text);
        };
        listeners.add(look);
        look();
      }),
  };
}

/** The parts of the first answer in `text`. */
export function parseAnswer(text: string): { status: number; headers: Headers; body: unknown } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) };
}
