/**
 * Whatever limits concurrency is shared by party (docs/explanation/decisions/0109), or is listed here with the reason why not. A new limit
 * has to be added to one of the lists: who could take all of it, and who waits then?
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Fair semaphores and pools behind one, and who takes turns. `current`: the party of the current work, which needs no code. */
const SHARED: Record<string, string> = {
  'src/api/events/watch-progress.ts': 'the party of the stream',
  'src/api/server/door.ts': 'the party of the request',
  'src/api/server/parse-big-body.ts': 'the party of the request',
  'src/api/server/server.ts': 'the party of the request',
  'src/content/link-preview/link-previews.ts': 'current',
  'src/content/media/decode-heic.ts': 'current, with a permit of pictures',
  'src/content/media/pictures.ts': 'current; deliveries have a permit of their own, and accounts take turns',
  'src/content/sheets/read-sheet.ts': 'current',
  'src/content/text/convert-in-worker.ts': 'current',
  'src/identity/passwords/password.ts': 'current',
  'src/identity/sign-in/sign-in-permits.ts': 'current',
  'src/messengers/whatsapp/whatsapp.ts': 'accounts; connections that are being made are first come, first served',
  'src/platform/concurrency/thread-pool.ts': 'current',
  'src/platform/concurrency/transfers.ts': 'the party of the request',
  'src/platform/database/share-connections.ts': 'current',
  'src/sending/analytics/reading-permits.ts': 'current, with the workspace that is read',
  'src/sending/deliveries/send-poison-suspects.ts': 'nobody: one at a time, so that a crash has one suspect',
};

/** Other limits, each with its reason. */
const EXCEPTED: Record<string, string> = {
  'src/messengers/sandbox/messages.ts': 'a batch merges the sendings of all',
  'src/messengers/whatsapp/send/answer-retries.ts': 'a batch merges the records of one account',
  'src/messengers/whatsapp/send/member-cache.ts': 'a mutex within one account',
  'src/notifications/notices/deliver-notices.ts': 'keyed by person, and slow work gives its permit back',
  'src/notifications/webhooks/send-webhooks.ts':
    'a claim prefers workspaces with fewer endpoints in hand, and slow work gives its permit back',
  'src/platform/concurrency/batcher.ts': 'the batcher itself',
  'src/platform/concurrency/mutex.ts': 'the mutex itself',
  'src/platform/concurrency/serve-concurrently.ts': 'keyed by its caller, and slow work gives its permit back',
  'src/platform/database/check-new-connections.ts': 'one connection for all who ask whether one can be made',
  'src/platform/database/embedded/restart.ts': 'restarts of the embedded database',
  'src/platform/database/work-poll.ts': 'keyed by its caller, and slow work gives its permit back',
  'src/platform/mail/send-mails.ts': 'keyed by person, and slow work gives its permit back',
  'src/sending/deliveries/load-posts.ts': 'the worker loads one large file at a time, as its lanes take turns',
  'src/sending/sessions/command-handler.ts':
    'keyed by account, and the first command of each comes before the second of any',
  'src/sending/sessions/sessions.ts': 'a batch merges the reads of all',
  'src/sending/sessions/sync-due-groups.ts': 'an account is read once a day; those that wait longest come first',
};

const SEMAPHORE = /\bcreate(FairSemaphore|ThreadPool)[<(]/;
const OTHER_LIMITS = [
  /\bnew Worker\(/,
  /\bcreateMutex\(/,
  /\bcreateBatcher[<(]/,
  /\b(serveConcurrently|servePolled)[<(]/,
  // A chain of promises is a mutex, first come, first served.
  /\blet \w+(: Promise<\w+>)? = Promise\.resolve\(/,
  // A counter with a limit.
  /\b\w*(held|inFlight|running|underWay|active|busy)\w*(\.size)? (<|>=) (?!0\b)(?!\$|')/i,
  /\b(p-limit|p-queue|async-mutex|async-sema|bottleneck)\b/,
];
/** A permit of nobody would put all into one line. */
const NOBODY = /\bparty: \[\]/;

const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && file.name.endsWith('.ts'))
  .map((file) => join(file.parentPath, file.name))
  // SQL has columns with such names.
  .map((path) => ({
    path: relative(root, path),
    text: readFileSync(path, 'utf8').replaceAll(/sql(<[^`]*>)?`[^`]*`/g, ''),
  }));

function find(patterns: readonly RegExp[]): string[] {
  return sources
    .filter(({ text }) => patterns.some((pattern) => pattern.test(text)))
    .map(({ path }) => path)
    .filter((path) => path !== 'src/platform/concurrency/fair-semaphore.ts')
    .toSorted();
}

test('every fair semaphore says who takes turns', () => {
  expect(find([SEMAPHORE])).toEqual(Object.keys(SHARED).toSorted());
});

test('every other limit of concurrency has a reason', () => {
  const found = find(OTHER_LIMITS).filter((path) => path !== 'src/platform/concurrency/thread-pool.ts');
  expect(found).toEqual(Object.keys(EXCEPTED).toSorted());
});

test('no permit is that of nobody where there is somebody', () => {
  expect(find([NOBODY])).toEqual([]);
});
