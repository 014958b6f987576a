/** What users ask for in a simulated world, drawn from its seed. */
import { unlinkAccount } from '../../src/sending/accounts/link-account.ts';
import { updateAccount } from '../../src/sending/accounts/update-account.ts';
import { runCommand, type CommandWaiters } from '../../src/sending/accounts/commands.ts';
import { syncGroups } from '../../src/sending/groups/sync-groups.ts';
import { addCampaign } from '../../src/sending/campaigns/accept/add-campaign.ts';
import { addScheduledCampaign } from '../../src/sending/campaigns/accept/add-scheduled-campaign.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../src/sending/campaigns/change/control.ts';
import { correctCampaign } from '../../src/sending/campaigns/change/correct-campaign.ts';
import { deleteCampaign } from '../../src/sending/campaigns/change/delete-campaign.ts';
import { pinCampaign, unpinCampaign } from '../../src/sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../src/sending/campaigns/change/retry-campaign.ts';
import { updateCampaign } from '../../src/sending/campaigns/change/update-campaign.ts';
import type { PostExtras } from '../../src/content/post/post-extras.ts';
import { AppError } from '../../src/platform/errors/errors.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { endUser } from '../../src/identity/delete-account.ts';
import { findUser } from '../../src/identity/store.ts';
import { handOverDeliveries } from '../../src/sending/senders/hand-over.ts';
import { setSenders } from '../../src/sending/senders/set-senders.ts';
import { changeFailoverRules } from '../../src/workspaces/failover/failover-rules.ts';
import { convert } from '../../test/support/ledger.ts';
import { draw, pick, seededRandom } from '../../test/support/inputs/random.ts';
import type { History } from './history.ts';
import type { AskedSchedule, Happening } from './line.ts';
import { pollOf } from './polls.ts';
import type { RemainingWork } from './remaining-work.ts';
import { current, time, type VirtualProcess } from './virtual-time.ts';
import { hashFile } from './witness.ts';
import { accountsOf, ZONES, type SimulatedOwner as Owner } from './owners.ts';
import { drawFailover } from './several-accounts.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

export interface Api {
  process: VirtualProcess;
  db: Database;
  /** For what it asks of a live session. */
  waiters: CommandWaiters;
  /** Of workspaces without one of their own. */
  timeZone: string;
}

/** The process that answers now, and one that a client may try next. */
export type Apis = readonly [Api, Api];

export interface Workload {
  /** Makes one random request. */
  ask(apis: Apis): void;
  /** Requests another campaign. */
  add(apis: Apis): void;
  /** Requests that the first account warms up. */
  warmUp(api: Api): void;
  /** Makes one random request about several accounts, if a workspace has them. */
  askAboutAccounts(api: Api): void;
  /** Requests that an account is linked again. */
  connect(api: Api, owner: Owner, accountId: number): void;
  /** Requests that stand-ins send what waits for these accounts. */
  handOver(api: Api, waiting: ReadonlyArray<{ ownerId: number; accountId: number }>): void;
  /** Resumes campaigns that are paused, also those of requests without an answer. */
  resume(api: Api, paused: RemainingWork['paused']): void;
  /** The number of requests without an answer, of processes that live. */
  open(): number;
}

/** A request as the history has it. */
type About = Omit<Extract<Happening, { kind: 'request' }>, 'kind' | 'request' | 'process'>;
interface Done {
  campaignId: string;
  runId?: number;
}

interface Known {
  campaign: string;
  text: string;
  owner: Owner;
}

/** A picture of one pixel. */
/** A picture would be decoded by a thread, in real time. */
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const CAMPAIGNS = 16;
/** Contract §9. */
const KEY_REMEMBERED_MS = 24 * 3_600_000;
const POLL_CHANCE = 0.15;
const FOLLOW_UP_CHANCE = 0.2;
const PIN_SECONDS = 604_800;
const OPERATIONS = [
  'pause',
  'resume',
  'cancel',
  'retry',
  'recall',
  'correct',
  'delete',
  'update',
  'pin',
  'unpin',
] as const;
type Operation = (typeof OPERATIONS)[number];
/**
 * The operations to draw from. Those that continue a campaign are at least as frequent as those that stop one, so that something is sent.
 */
const ASKED: readonly Operation[] = [...OPERATIONS, 'resume', 'resume', 'retry', 'recall', 'correct', 'update'];

export function openWorkload(
  seed: number,
  {
    owners,
    history,
    dates,
  }: { owners: readonly Owner[]; history: History; /** Of the schedules. */ dates: readonly string[] },
): Workload {
  const random = seededRandom(seed ^ 0x10ad);
  // Of their own, so that polls and follow-ups move nothing else.
  const polls = seededRandom(seed ^ 0x9011);
  const followUps = seededRandom(seed ^ 0xf0110);
  const accounts = seededRandom(seed ^ 0xacc5);
  const known: Known[] = [];
  const open = new Map<number, VirtualProcess>();
  let requests = 0;
  let texts = 0;

  function request(
    api: Api,
    about: About,
    act: () => Promise<Done>,
    onDone: (campaign: string) => void = () => undefined,
  ): void {
    const number = ++requests;
    open.set(number, api.process);
    history.add({ kind: 'request', request: number, process: api.process.name, ...about });
    current.run(api.process, () => {
      act().then(
        ({ campaignId, runId }) => {
          open.delete(number);
          const of = runId === undefined ? {} : { runId };
          history.add({ kind: 'answer', request: number, campaign: campaignId, error: null, ...of });
          onDone(campaignId);
        },
        (error: unknown) => {
          open.delete(number);
          history.add({ kind: 'answer', request: number, campaign: null, error: nameOf(error) });
        },
      );
    });
  }

  function add([api, other]: Apis): void {
    const owner = pick(random, owners);
    const text = `campaign ${++texts}`;
    const file = random() < 0.2 ? Buffer.concat([PDF, Buffer.from(text)]) : null;
    const { extras, reach } = drawReach(owner);
    // The last is a channel, where nothing is pinned and nobody mentioned.
    const choice = reach.isPinned || reach.mentionsAll ? owner.groupIds.slice(0, -1) : owner.groupIds;
    const groupIds = draw(random, choice, 1 + Math.floor(random() * choice.length));
    const post = {
      name: text,
      description: '',
      html: text,
      image: file && file.toString('base64'),
      isChannelCampaign: false,
      groupIds,
      extras,
    };
    const schedule = random() < 0.7 ? undefined : drawSchedule();
    const isPoll = !file && polls() < POLL_CHANCE;
    if (isPoll) Object.assign(post, { html: '', extras: { poll: pollOf(text) } });
    const followUp = drawFollowUp(owner);
    if (followUp) {
      const { campaign: campaignId, underPercent } = followUp;
      Object.assign(post, { extras: { ...post.extras, followUp: { campaignId, underPercent } } });
    }
    const keep = (campaign: string) => {
      if (!known.some((one) => one.campaign === campaign)) known.push({ campaign, text, owner });
    };
    const key = random() < 0.25 ? `key ${text}` : undefined;
    const about = {
      accountId: owner.accountId,
      text,
      groupIds,
      operation: schedule ? 'schedule' : 'send',
      ...(!isPoll && reach),
      ...(followUp && { followUp }),
      ...(schedule && { schedule }),
      ...(file && { file: hashFile(file) }),
      ...(key !== undefined && { key }),
    };
    const accept = ({ db }: Api) => {
      const arrivedMs = Date.now();
      const deps = { db, convert, timeZone: 'UTC' };
      const { operation } = about;
      const once =
        key === undefined
          ? undefined
          : { workspaceId: owner.workspaceId, key, operation, bodyHash: Buffer.from(text), arrivedMs };
      return schedule
        ? addScheduledCampaign(deps, owner, { ...post, ...schedule }, once)
        : addCampaign(deps, owner, { ...post, scheduleTime: null }, once);
    };
    request(api, about, () => accept(api), keep);
    if (key === undefined) return;
    // A client that hears nothing for a moment tries another process, unless it has slept meanwhile for longer than a key is remembered.
    const untilMs = time.nowMs() + KEY_REMEMBERED_MS;
    time.at(time.nowMs() + random() * 2_000, () => {
      if (!other.process.isDead && time.nowMs() < untilMs) request(other, about, () => accept(other), keep);
    });
  }

  /** Draws whether a post mentions everybody, is pinned, or replies to an earlier campaign of its owner. */
  function drawReach(owner: Owner) {
    const [mentions, pins, replies] = [random() < 0.25, random() < 0.2, random() < 0.2];
    const earlier = replies ? known.filter((one) => one.owner === owner) : [];
    const repliesTo = earlier.length > 0 ? pick(random, earlier).campaign : undefined;
    const extras: PostExtras = {
      ...(mentions && { mentionAll: true }),
      ...(pins && { pinSeconds: PIN_SECONDS }),
      ...(repliesTo !== undefined && { replyTo: { campaignId: repliesTo } }),
    };
    const reach: Pick<About, 'mentionsAll' | 'isPinned' | 'repliesTo'> = {
      ...(mentions && { mentionsAll: true }),
      ...(pins && { isPinned: true }),
      ...(repliesTo !== undefined && { repliesTo }),
    };
    return { extras, reach };
  }

  /** Draws which earlier campaign of its owner a post follows up, if any. */
  function drawFollowUp(owner: Owner): About['followUp'] {
    const earlier = known.filter((one) => one.owner === owner);
    if (followUps() >= FOLLOW_UP_CHANCE || earlier.length === 0) return undefined;
    return { campaign: pick(followUps, earlier).campaign, underPercent: pick(followUps, [1, 50, 51, 100]) };
  }

  /** Draws a schedule; some have no day left and are rejected. */
  function drawSchedule(): AskedSchedule {
    const [startDate = '', endDate = ''] = [dates[0], pick(random, dates)];
    const clock = pick(random, ['01:59', '02:00', '02:30', '03:00', '23:30']);
    const timeZone = random() < 0.5 ? 'Europe/Berlin' : pick(random, ZONES);
    const weekdays = random() < 0.8 ? null : [1, 2, 3, 4, 5, 6, 7].filter(() => random() < 0.7);
    const skipDates = random() < 0.8 ? [] : [pick(random, dates)];
    return { timeZone, weekdays: weekdays?.length === 0 ? null : weekdays, skipDates, startDate, endDate, time: clock };
  }

  function change(api: Api, operation: Operation, { campaign, text, owner }: Known): void {
    const deps = { db: api.db };
    const html = `${text}, corrected ${++texts}`;
    const schedule = random() < 0.5 ? drawSchedule() : undefined;
    const content = schedule && random() < 0.5 ? {} : drawContent(text, owner);
    const isOfRun = (operation === 'recall' || operation === 'correct') && random() < 0.3;
    const index = Math.floor(random() * 3);
    const about = {
      operation,
      accountId: owner.accountId,
      text: operation === 'correct' ? html : text,
      ...(isOfRun && { isOfRun }),
      ...(operation === 'update' && { ...(schedule && { schedule }), ...content }),
    };
    const reviseRun = async (
      revise: (of: { campaignId: string; runId: number | null }) => Promise<Done>,
    ): Promise<Done> => {
      if (!isOfRun) return revise({ campaignId: campaign, runId: null });
      const runId = await findRun(api.db, campaign, index);
      return { ...(await revise({ campaignId: campaign, runId })), runId };
    };
    const acts: Record<Operation, () => Promise<Done>> = {
      pause: () => pauseCampaign(deps, owner, campaign),
      resume: () => resumeCampaign(deps, owner, campaign),
      cancel: () => cancelCampaign(deps, owner, campaign),
      retry: () => retryCampaign(deps, owner, campaign),
      recall: () => reviseRun((of) => recallCampaign(deps, owner, of)),
      correct: () => reviseRun((of) => correctCampaign({ ...deps, convert }, owner, { ...of, html })),
      delete: () => deleteCampaign(deps, owner, campaign),
      pin: () => pinCampaign(deps, owner, { campaignId: campaign, runId: null, seconds: PIN_SECONDS }),
      unpin: () => unpinCampaign(deps, owner, { campaignId: campaign, runId: null }),
      update: () =>
        updateCampaign({ ...deps, convert }, owner, campaign, {
          ...(schedule && { ...schedule, weekdays: schedule.weekdays ?? [1, 2, 3, 4, 5, 6, 7] }),
          html: content.newText,
          groupIds: content.groupIds,
        }),
    };
    request(api, about, acts[operation]);
  }

  /** Draws a text and groups for the runs that have not begun; some changes leave one of the two as it was. */
  function drawContent(text: string, { groupIds }: Owner): { newText?: string; groupIds?: number[] } {
    const drawn = random();
    const groups = draw(random, groupIds, 1 + Math.floor(random() * groupIds.length));
    return {
      ...(drawn < 0.8 && { newText: `${text}, updated ${++texts}` }),
      ...(drawn >= 0.2 && { groupIds: groups }),
    };
  }

  function warmUp(api: Api, owner: Owner, wanted: boolean): void {
    request(api, { operation: 'warm up', accountId: owner.accountId, text: '', warmUp: wanted }, async () => {
      await updateAccount({ db: api.db, timeZone: 'UTC' }, owner, { warmUp: wanted });
      return { campaignId: '' };
    });
  }

  function sync(api: Api): void {
    const owner = pick(random, owners);
    const ofAccount = pick(accounts, accountsOf(owner));
    request(api, { operation: 'sync groups', accountId: owner.accountId, text: '', ofAccount }, async () => {
      await syncGroups(api, owner, ofAccount);
      return { campaignId: '' };
    });
  }

  /** Asks the account's session, by way of the worker that has it. */
  function createGroup(api: Api): void {
    const { accountId } = pick(random, owners);
    const name = `group ${++texts}`;
    request(api, { operation: 'create group', accountId, text: name }, async () => {
      const { chatId } = await runCommand(api, accountId, 'create_group', { name, participants: [] });
      return { campaignId: chatId };
    });
  }

  function rest(api: Api): void {
    const owner = pick(random, owners);
    const quietHours = pick(random, [
      null,
      null,
      { from: '21:05', to: '05:30' },
      { from: '23:00', to: '06:00' },
      { from: '02:15', to: '02:45' },
      { from: '08:00', to: '07:00' },
    ]);
    const wanted = { dailyCap: pick(random, [null, 4, 9]), quietHours };
    request(api, { operation: 'rest', accountId: owner.accountId, text: '', rest: wanted }, async () => {
      await updateAccount({ db: api.db, timeZone: 'UTC' }, owner, wanted);
      return { campaignId: '' };
    });
  }

  function handOver(api: Api, owner: Owner, { from, to }: { from: number; to?: number | undefined }): void {
    const about = { ofAccount: from, ...(to !== undefined && { toAccount: to }) };
    request(api, { operation: 'hand over', accountId: owner.accountId, text: '', ...about }, async () => {
      await handOverDeliveries(api, owner, {
        accountId: from as AccountId,
        toAccountId: to as AccountId | undefined,
      });
      return { campaignId: '' };
    });
  }

  function connect(api: Api, owner: Owner, ofAccount: number): void {
    request(api, { operation: 'connect', accountId: owner.accountId, text: '', ofAccount }, async () => {
      await runCommand(api, ofAccount as AccountId, 'connect', { method: 'qr' });
      return { campaignId: '' };
    });
  }

  function orderSenders(api: Api, owner: Owner, senders: readonly number[]): void {
    const groupIds = accounts() < 0.4 ? [] : draw(accounts, owner.groupIds, 2);
    request(api, { operation: 'set senders', accountId: owner.accountId, text: '', senders, groupIds }, async () => {
      await setSenders({ db: api.db }, owner, {
        groupIds,
        groupListId: null,
        accountIds: senders as readonly AccountId[],
        reason: null,
      });
      return { campaignId: '' };
    });
  }

  function setFailover(api: Api, owner: Owner): void {
    const wanted = drawFailover(accounts);
    request(api, { operation: 'set failover', accountId: owner.accountId, text: '', ...wanted }, async () => {
      await changeFailoverRules({ db: api.db }, owner, wanted);
      return { campaignId: '' };
    });
  }

  function askAboutAccounts(api: Api): void {
    const several = owners.filter(({ further }) => further.length > 0);
    if (several.length === 0) return;
    const owner = pick(accounts, several);
    const own = draw(accounts, accountsOf(owner), 1 + owner.further.length);
    const [from = owner.accountId, to] = own;
    const drawn = accounts();
    if (drawn < 0.4) handOver(api, owner, { from, to: accounts() < 0.3 ? to : undefined });
    else if (drawn < 0.65) connect(api, owner, from);
    else if (drawn < 0.85) orderSenders(api, owner, own);
    else setFailover(api, owner);
  }

  /** Only the last owner, so that there is somebody left to send. */
  function erase(api: Api): void {
    const owner = owners.at(-1);
    if (!owner) return;
    request(api, { operation: 'erase', accountId: owner.accountId, text: '' }, async () => {
      const user = await findUser(api.db, owner.userId);
      if (!user) throw new Error('gone');
      const deps = { db: api.db, dropCached: () => undefined, onUserDeleted: unlinkAccount };
      await endUser(deps as unknown as Parameters<typeof endUser>[0], user);
      return { campaignId: '' };
    });
  }

  return {
    ask(apis) {
      const [api] = apis;
      const drawn = random();
      if (drawn < 0.05) return createGroup(api);
      if (drawn < 0.08) return rest(api);
      if (drawn < 0.085) return erase(api);
      if (drawn < 0.115) return sync(api);
      if (drawn < 0.125) return warmUp(api, pick(random, owners), random() < 0.7);
      const isNew = known.length === 0 || random() < 0.6;
      if (isNew && texts < CAMPAIGNS) add(apis);
      else if (known.length > 0) change(api, pick(random, ASKED), pick(random, known));
    },
    add,
    warmUp(api) {
      const [first] = owners;
      if (first) warmUp(api, first, true);
    },
    askAboutAccounts,
    connect,
    handOver(api, waiting) {
      for (const { ownerId, accountId } of waiting) {
        const owner = owners.find((one) => one.accountId === ownerId);
        if (owner) handOver(api, owner, { from: accountId });
      }
    },
    resume(api, paused) {
      for (const { accountId, ...campaign } of paused) {
        const owner = owners.find((one) => one.accountId === accountId);
        if (owner) change(api, 'resume', { ...campaign, owner });
      }
    },
    open: () => [...open.values()].filter((process) => !process.isDead).length,
  };
}

/** Returns the run at an index of a campaign, in the order of their due times. Throws if there is none. */
async function findRun(db: Database, campaign: string, index: number): Promise<number> {
  const run = await db
    .selectFrom('runs')
    .innerJoin('campaigns', 'campaigns.campaign_id', 'runs.campaign_id')
    .select('runs.run_id')
    .where('campaigns.public_id', '=', campaign)
    .orderBy('runs.due_at')
    .offset(index)
    .limit(1)
    .executeTakeFirst();
  if (!run) throw new AppError('run_not_found', 'The campaign has no such run');
  return run.run_id;
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
