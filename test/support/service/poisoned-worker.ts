/**
 * Poison message: a worker process whose messenger crashes the whole process when it sends to one chat. Takes the database's
 * address as JSON, the chat, and a file in which it records each send before making it.
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
