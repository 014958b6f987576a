import { sql } from 'kysely';
import { linkAccount } from '../../src/sending/accounts/link-account.ts';
import { readGroupAnalytics, type GroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import type { Actor } from '../../src/workspaces/audit/record-audit.ts';
import { addCampaign } from '../../src/sending/campaigns/accept/add-campaign.ts';
import {
  addScheduledCampaign,
  type ScheduledInput,
} from '../../src/sending/campaigns/accept/add-scheduled-campaign.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { listenForNotifications, type Notifications } from '../../src/platform/database/listen.ts';
import type { Gap } from '../../src/sending/deliveries/pace.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { sleep } from '../../src/platform/time/time.ts';
import type { Messenger } from '../../src/messengers/messenger.ts';
import { SANDBOX } from '../../src/messengers/sandbox/capabilities.ts';
import type { Convert } from '../../src/content/text/convert-in-worker.ts';
import { convertHtml } from '../../src/content/text/html-to-whatsapp.ts';
import { insertWorkspace } from '../../src/identity/store.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/app/worker.ts';
import type { TestDatabase } from './database.ts';
import { PATIENCE_MS } from './patience.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

/** A user with an account and groups, created without the API. */
export interface Owner extends Actor {
  accountId: AccountId;
  /** In the order of their chats: `1@g.us`, `2@g.us` and so on, with the owner's number before. */
  groupIds: number[];
}

/** Converts html in the test's own thread. */
export const convert: Convert = (html, unknownTags, withFields) =>
  Promise.resolve(convertHtml(html, unknownTags, withFields));

let owners = 0;

/** Creates a user with an account and a number of groups of three people, all of the same `kind`. */
export async function createOwner(
  db: Database,
  groups: number,
  kind: 'group' | 'community' | 'channel' = 'group',
): Promise<Owner> {
  const name = `owner${++owners}`;
  return db.transaction().execute(async (trx) => {
    const { user_id: userId } = await trx
      .insertInto('users')
      .values({
        first_name: name,
        last_name: '',
        user_name: name,
        email: `${name}@example.com`,
        phone_number: '4915100000001',
        whatsapp_number: '4915100000001',
        whatsapp_digits: '4915100000001',
        password_hash: 'none',
        time_zone: null,
        kept_token_id: null,
      })
      .returning('user_id')
      .executeTakeFirstOrThrow();
    const workspaceId = await insertWorkspace(trx, userId);
    await linkAccount(trx, workspaceId, SANDBOX);
    // Without the code of the service: the schema may be an earlier one.
    const { account_id: accountId } = await trx
      .selectFrom('accounts')
      .select('account_id')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    const { rows } =
      groups === 0
        ? { rows: [] }
        : await sql<{ group_id: number }>`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      select ${workspaceId}::bigint, ${accountId} || '-' || g || '@g.us', ${accountId} || '-' || g || '@g.us', ${kind}::group_kind,
             'Group ' || g, 3, true
      from generate_series(1, ${groups}::int) g order by g returning group_id`.execute(trx);
    const actor = { userId, workspaceId, role: 'owner' as const, address: '192.0.2.1' };
    return { ...actor, accountId, groupIds: rows.map((row) => row.group_id) };
  });
}

/** Returns the number of a chat among the owner's groups, from 1, as `createOwner` names them. */
export function groupNumber(chatId: string): number {
  return Number(/-(\d+)@/.exec(chatId)?.[1]);
}

/** Sends to all of the owner's groups, or those given, now. Resolves to the campaign's id. */
export async function sendNow(
  db: Database,
  owner: Owner,
  groupIds = owner.groupIds,
  html = 'Hello',
  withFields = false,
): Promise<string> {
  const sent = { ...post(html), groupIds, scheduleTime: null, withFields };
  const { campaignId } = await addCampaign({ db, convert }, owner, sent);
  return campaignId;
}

/** Schedules a post to all of the owner's groups. Resolves to the campaign's id. */
export async function schedule(
  db: Database,
  owner: Owner,
  when: Pick<ScheduledInput, 'startDate' | 'endDate' | 'time'> & Partial<ScheduledInput>,
): Promise<string> {
  const { campaignId } = await addScheduledCampaign({ db, convert, timeZone: 'UTC' }, owner, {
    ...post('Hello'),
    groupIds: owner.groupIds,
    timeZone: null,
    weekdays: null,
    skipDates: [],
    ...when,
  });
  return campaignId;
}

function post(html: string) {
  return { name: 'Test', description: '', html, image: null, isChannelCampaign: false };
}

const NO_HINTS: Notifications = { on: () => undefined, close: () => Promise.resolve() };
const NO_GAP: Gap = { minMs: 0, maxMs: 0 };

/** A worker of its own on the test's database, with this messenger and no gap unless given. */
export async function startTestWorker(
  { db, address }: Pick<TestDatabase, 'db' | 'address'>,
  messenger: Messenger,
  {
    gap = NO_GAP,
    alone = true,
    name = 'test',
    hasHints = true,
    ...hooks
  }: { gap?: Gap; alone?: boolean; name?: string; /** Default is true. */ hasHints?: boolean } & Pick<
    WorkerOptions,
    'onOutcome' | 'onRetry' | 'onFirstAttempt' | 'onLoopError' | 'workPoll'
  > = {},
): Promise<Worker> {
  const log = createLog('fatal');
  const notifications = hasHints ? listenForNotifications(address, { log }) : NO_HINTS;
  const worker = await startWorker({
    db,
    log,
    notifications,
    messengers: new Map([[messenger.name, messenger]]),
    gaps: { sandbox: gap },
    name,
    alone,
    ...hooks,
  });
  return {
    ...worker,
    async stop() {
      await worker.stop();
      await notifications.close();
    },
  };
}

export function analyticsOf(db: Database, owner: Owner, campaignId: string): Promise<GroupAnalytics> {
  return readGroupAnalytics({ db }, owner, campaignId);
}

/** Waits until the campaign's analytics satisfy the test, and resolves to them. */
export async function analyticsWhen(
  db: Database,
  owner: Owner,
  campaignId: string,
  holds: (analytics: GroupAnalytics) => boolean,
): Promise<GroupAnalytics> {
  return until(() => analyticsOf(db, owner, campaignId), holds);
}

/** Polls until the value is the wanted one, or satisfies the condition; throws with the last value after `PATIENCE_MS`. */
export async function until<T>(
  read: () => T | Promise<T>,
  wanted: (T & (string | number | boolean | null | undefined)) | ((value: T) => boolean),
): Promise<T> {
  const holds = typeof wanted === 'function' ? wanted : (value: T) => value === wanted;
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > deadline) throw new Error(`it never came to that; at last: ${JSON.stringify(value)}`);
    await sleep(10);
  }
}
