import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on loopback with scripted answers. */
export interface NameServer {
  /** As `createDnsLookup` takes it. */
  at: string;
  /** What was asked, in order: `4 name` or `6 name`. */
  asked: string[];
  close(): void;
}

const TYPES = new Map([
  [1, 4],
  [28, 6],
]);

/** `answer` gives the IPv4 addresses of a name; there are none by IPv6. A question about a name with `silence` gets no answer. */
export async function startNameServer(answer: (name: string) => string[] | 'silence'): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, peer) => {
    const { name, end } = readName(question);
    const family = TYPES.get(question.readUInt16BE(end)) ?? 0;
    asked.push(`${family} ${name}`);
    const addresses = answer(name);
    if (addresses === 'silence') return;
    const records = (family === 4 ? addresses : []).map((address) =>
      Buffer.concat([
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
        Buffer.from(address.split('.').map(Number)),
      ]),
    );
    const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0]);
    question.copy(header, 0, 0, 2);
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { at: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() };
}

function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
