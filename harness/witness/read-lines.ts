import type { Socket } from 'node:net';

/** Calls `onLine` with each complete line. The caller handles connection errors. */
export function readLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  });
}
