/**
 * A worker in a separate process whose messenger kills the process when it sends to a certain chat. Arguments: the database's address as
 * JSON, the chat, and a file to which every send is appended before it is made.
 */
import { appendFileSync } from 'node:fs';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { scriptMessenger } from '../scripted-messenger.ts';
import { startTestWorker } from '../ledger.ts';

const [address = '', poison = '', file = ''] = process.argv.slice(2);
const messenger = scriptMessenger();
messenger.answer = (to) => {
  appendFileSync(file, `${to.chatId}\n`);
  if (to.chatId === poison) process.kill(process.pid, 'SIGKILL');
  return undefined;
};
const where = JSON.parse(address) as Parameters<typeof connectDatabase>[0];
const db = connectDatabase(where, { log: createLog('fatal') });
await startTestWorker({ db, address: where }, messenger);
