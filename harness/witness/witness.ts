/**
 * The witness: a messaging application in a process of its own, which shares nothing with the ledger and keeps a durable log of
 * everything that arrives. `node harness/witness/witness.ts <log> <seed>` prints the port it listens on, and exits when stdin closes.
 */
import { createServer, type Socket } from 'node:net';
import { seededRandom } from '../../test/support/inputs/random.ts';
import { openLog } from './log.ts';
import { readLines } from './read-lines.ts';
import type { Answers, Behaviour, Chat, PostArrival, Question, Verdict } from './protocol.ts';

const [path = '', seed = '1'] = process.argv.slice(2);
const log = await openLog(path);
const random = seededRandom(Number(seed));
const nowMs = () => performance.timeOrigin + performance.now();

let behaviour: Behaviour = {};
let arrivals = 0;
const underWay = new Map<number, number>();
const chats = new Map<string, Chat>();
const acceptedIds = new Set<string>();
const refusedForGood = new Set<string>();

function decideVerdict({ chatId, messageId, text }: PostArrival): Verdict {
  if (acceptedIds.has(messageId)) return 'copy';
  const where = `${chatId} ${text}`;
  if (refusedForGood.has(where)) return 'refused for good';
  const draw = random();
  const { vanish = 0, refuse = 0, refuseForGood = 0 } = behaviour;
  if (draw < vanish) return 'vanished';
  if (draw < vanish + refuse) return 'refused';
  if (draw >= vanish + refuse + refuseForGood) return 'accepted';
  refusedForGood.add(where);
  return 'refused for good';
}

type Heard = 'answer' | 'nothing' | 'end';

function drawEnd(): Heard {
  const draw = random();
  const { loseAck = 0, breakOff = 0 } = behaviour;
  if (draw < loseAck) return 'nothing';
  return draw < loseAck + breakOff ? 'end' : 'answer';
}

async function receive(post: PostArrival): Promise<{ answer: Answers['send']; heard: Heard }> {
  const arrival = ++arrivals;
  const arrivedMs = nowMs();
  underWay.set(arrival, post.accountId);
  const [minMs, maxMs] = behaviour.delayMs ?? [0, 0];
  if (maxMs > 0) await new Promise((resolve) => setTimeout(resolve, minMs + random() * (maxMs - minMs)));
  underWay.delete(arrival);
  const verdict = decideVerdict(post);
  const answeredMs = nowMs();
  if (verdict === 'accepted') acceptedIds.add(post.messageId);
  await log.append({ ...post, arrival, arrivedMs, answeredMs, verdict });
  if (verdict === 'vanished') return { answer: { kind: 'sent' }, heard: 'nothing' };
  if (verdict === 'refused') return { answer: { kind: 'refused', final: false }, heard: 'answer' };
  if (verdict === 'refused for good') return { answer: { kind: 'refused', final: true }, heard: 'answer' };
  return { answer: { kind: 'sent' }, heard: drawEnd() };
}

function create({ workspaceId, kind, name }: Omit<Chat, 'chatId'>): Chat {
  const digits = String(120_363_000_000_000 + chats.size);
  const chat = { workspaceId, kind, name, chatId: `${digits}@${kind === 'channel' ? 'newsletter' : 'g.us'}` };
  chats.set(chat.chatId, chat);
  return chat;
}

async function answer(question: Question): Promise<{ answer: unknown; heard: Heard }> {
  switch (question.op) {
    case 'send': {
      const { op: _, ...post } = question;
      return receive(post);
    }
    case 'create':
      return { answer: create(question), heard: 'answer' };
    case 'list':
      return {
        answer: [...chats.values()].filter((chat) => chat.workspaceId === question.workspaceId),
        heard: 'answer',
      };
    case 'under way':
      return { answer: [...underWay.values()], heard: 'answer' };
    case 'behave':
      ({ behaviour } = question);
      return { answer: null, heard: 'answer' };
    default:
      return question satisfies never;
  }
}

function serve(socket: Socket): void {
  // The client may be killed at any moment.
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.end());
  readLines(socket, (line) => {
    const { n, ...question } = JSON.parse(line) as Question & { n: number };
    void answer(question as Question).then(({ answer, heard }) => {
      // Data in flight still arrives: the witness must receive every attempt.
      if (heard === 'end') socket.end();
      else if (heard === 'answer' && socket.writable) socket.write(`${JSON.stringify({ n, answer })}\n`);
    });
  });
}

const server = createServer({ allowHalfOpen: true }, serve).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the witness got no port');
  process.stdout.write(`${address.port}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
