/** Histories that are altered so that each contradicts one promise, and nothing else as far as possible. */
import { recount } from '../../harness/simulation/check-figures.ts';
import type { FinalCampaign, FinalDelivery, Line } from '../../harness/simulation/line.ts';

type Of<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>;
const HOUR_MS = 3_600_000;

/** Returns the history with its last line changed. */
function withFinal(lines: readonly Line[], change: (final: Of<'final'>) => Partial<Of<'final'>>): Line[] {
  return lines.map((line) => (line.kind === 'final' ? recountFinal({ ...line, ...change(line) }) : line));
}

/** Returns the history without posts that match, and without anything that members did about them. */
function withoutPosts(lines: readonly Line[], isGone: (messageId: string) => boolean): Line[] {
  return lines.flatMap((line): Line[] => {
    if (line.kind === 'send' || line.kind === 'offline' || line.kind === 'change')
      return isGone(line.messageId) ? [] : [line];
    if (line.kind !== 'receipts') return [line];
    return [{ ...line, receipts: line.receipts.filter((one) => one.what === 'same' || !isGone(one.messageId)) }];
  });
}

/** Returns the end of a history with sums that add up, and without overviews and activity. */
function recountFinal(final: Of<'final'>): Of<'final'> {
  const campaigns = final.campaigns.map((campaign) => {
    if (!campaign.totals) return campaign;
    const own = final.deliveries.filter((one) => one.campaign === campaign.campaign);
    const groups = [...Map.groupBy(own, (one) => one.groupId)].map(([groupId, some]) => ({
      groupId,
      ...recount(some),
    }));
    const totals = recount(own);
    const sent = own.flatMap(({ sentMs }) => (sentMs === null ? [] : [sentMs]));
    const atMs = Math.floor(Math.min(...sent) / 60_000) * 60_000;
    const { delivered, read } = totals;
    return {
      ...campaign,
      totals,
      groups,
      timeline: sent.length > 0 ? [{ atMs, sent: sent.length, delivered, read }] : [],
    };
  });
  return { ...final, campaigns, overviews: [], activities: [] };
}

const mapRuns = (
  { campaigns }: Of<'final'>,
  change: (run: FinalCampaign['runs'][number]) => FinalCampaign['runs'][number],
) => campaigns.map((campaign) => ({ ...campaign, runs: campaign.runs.map(change) }));

export function missEveryRun(lines: readonly Line[]): Line[] {
  return withFinal(
    withoutPosts(lines, () => true),
    (final) => ({
      deliveries: [],
      campaigns: mapRuns(final, (run) => ({
        ...run,
        status: 'missed',
        startedMs: null,
        finishedMs: run.dueMs + 6 * HOUR_MS,
      })),
    }),
  );
}

const UNSENT = {
  status: 'failed' as const,
  sentMs: null,
  delivered: 0,
  read: 0,
  reactions: 0,
  replies: 0,
  views: 0,
  uncertain: false,
  isRecalled: false,
  isCorrected: false,
};

export function expireEveryDelivery(lines: readonly Line[]): Line[] {
  const error = 'expired: it could not be sent in time';
  return withFinal(
    withoutPosts(lines, () => true),
    (final) => ({
      deliveries: final.deliveries.map((one) => ({
        ...one,
        ...UNSENT,
        error,
      })),
      campaigns: mapRuns(final, (run) => ({
        ...run,
        status: 'completed_with_errors',
        finishedMs: (run.startedMs ?? run.dueMs) + 24 * HOUR_MS,
      })),
    }),
  );
}

/** Moves every run and its posts by so much; they stay due when they were. */
export function moveEveryRun(lines: readonly Line[], byMs: number): Line[] {
  const moved = lines.map((line): Line => {
    if (line.kind === 'receipts' || line.kind === 'change' || line.kind === 'offline')
      return { ...line, atMs: line.atMs + byMs };
    if (line.kind !== 'send') return line;
    const { atMs, arrivedMs, answeredMs } = line;
    return { ...line, atMs: atMs + byMs, arrivedMs: arrivedMs + byMs, answeredMs: answeredMs + byMs };
  });
  const move = (atMs: number | null) => (atMs === null ? null : atMs + byMs);
  const [first, ...others] = moved.toSorted((one, other) => one.atMs - other.atMs);
  return withFinal(first ? [first, ...others] : [], (final) => ({
    deliveries: final.deliveries.map((one) => ({ ...one, sentMs: move(one.sentMs) })),
    campaigns: mapRuns(final, (run) => ({
      ...run,
      startedMs: move(run.startedMs),
      finishedMs: move(run.finishedMs),
    })),
  }));
}

export function dropLaterRuns(lines: readonly Line[]): Line[] {
  const final = lines.findLast((line) => line.kind === 'final');
  const later = new Set(final?.campaigns.flatMap(({ runs }) => runs.slice(1).map(({ runId }) => runId)));
  const gone = new Set(final?.deliveries.filter(({ runId }) => later.has(runId)).map(({ messageId }) => messageId));
  return withFinal(
    withoutPosts(lines, (messageId) => gone.has(messageId)),
    ({ campaigns, deliveries }) => ({
      deliveries: deliveries.filter(({ runId }) => !later.has(runId)),
      campaigns: campaigns.map((one) => ({ ...one, runs: one.runs.slice(0, 1) })),
    }),
  );
}

/** Returns two runs of one account of which the first had its first post before the second, although both were due; undefined: there are none. */
function findPair(lines: readonly Line[]): { first: number; second: number } | undefined {
  const final = lines.findLast((line) => line.kind === 'final');
  const sends = lines.filter((line) => line.kind === 'send');
  const runOf = new Map(final?.deliveries.map((one) => [one.messageId, one.runId]));
  const isTouched = ({ text }: FinalCampaign) =>
    lines.some(
      (line) => line.kind === 'request' && line.text === text && !['send', 'schedule'].includes(line.operation),
    );
  const runs = (final?.campaigns ?? []).flatMap((campaign) =>
    campaign.deleted || isTouched(campaign)
      ? []
      : campaign.runs.map((run) => ({
          ...run,
          accountId: campaign.accountId,
          firstMs: sends.find((one) => runOf.get(one.messageId) === run.runId)?.arrivedMs,
        })),
  );
  for (const one of runs)
    for (const other of runs)
      if (
        one.accountId === other.accountId &&
        one.firstMs !== undefined &&
        other.firstMs !== undefined &&
        one.dueMs < other.dueMs &&
        other.dueMs < one.firstMs &&
        one.firstMs < other.firstMs
      )
        return { first: one.runId, second: other.runId };
  return undefined;
}

export const hasPair = (lines: readonly Line[]) => findPair(lines) !== undefined;

/** Lets the posts of two runs change their turns, so that all of the later run leave first. */
export function swapRuns(lines: readonly Line[]): Line[] {
  const pair = findPair(lines);
  if (!pair) throw new Error('no two runs of one account were due together');
  const final = lines.findLast((line) => line.kind === 'final');
  const runOf = new Map(final?.deliveries.map((one) => [one.messageId, one.runId]));
  const own = lines.filter(
    (line) => line.kind === 'send' && [pair.first, pair.second].includes(runOf.get(line.messageId) ?? NaN),
  );
  const isLater = (line: Line) => line.kind === 'send' && runOf.get(line.messageId) === pair.second;
  const inOrder = [...own.filter(isLater), ...own.filter((line) => !isLater(line))];
  return lines.map((line): Line => {
    const index = own.indexOf(line as Of<'send'>);
    const [slot, post] = [own[index], inOrder[index]];
    if (slot?.kind !== 'send' || post?.kind !== 'send') return line;
    const { atMs, arrivedMs, answeredMs, process } = slot;
    return { ...post, atMs, arrivedMs, answeredMs, process };
  });
}

/** Returns a campaign with posts that were sent, and that nobody recalls. */
function findCorrectable(lines: readonly Line[]): FinalCampaign | undefined {
  const final = lines.findLast((line) => line.kind === 'final');
  const isRecalled = (text: string) =>
    lines.some((line) => line.kind === 'request' && line.operation === 'recall' && line.text === text);
  if (lines.some(({ kind }) => kind === 'put back')) return undefined;
  return final?.campaigns.find(
    ({ campaign, text, deleted }) =>
      !deleted &&
      !isRecalled(text) &&
      final.deliveries.some((one) => one.campaign === campaign && one.status === 'sent' && one.revisionError === null),
  );
}

export const hasCorrectable = (lines: readonly Line[]) => findCorrectable(lines) !== undefined;

/** Returns the history with a correction that is accepted after all posts have left, and reaches no member. */
export function addLostCorrection(lines: readonly Line[]): Line[] {
  const campaign = findCorrectable(lines);
  const end = lines.findIndex(({ kind }) => kind === 'stopping');
  if (!campaign) throw new Error('no campaign can be corrected');
  const atMs = lines[end]?.atMs ?? 0;
  const request = 1 + Math.max(...lines.map((line) => (line.kind === 'request' ? line.request : 0)));
  const { text, accountId, campaign: id } = campaign;
  const asked = { request, process: 'api 1', operation: 'correct', accountId, text: `${text}, corrected ${request}` };
  return lines.toSpliced(
    end,
    0,
    { atMs, kind: 'request', ...asked },
    { atMs, kind: 'answer', request, campaign: id, error: null },
  );
}

/** Returns the history with one delivery changed, which must be there, and the sums with it. */
function changeOne(
  lines: readonly Line[],
  fits: (one: FinalDelivery) => boolean,
  change: (one: FinalDelivery) => Partial<FinalDelivery>,
): Line[] {
  return withFinal(lines, ({ deliveries }) => {
    const chosen = deliveries.find(fits);
    return { deliveries: deliveries.map((one) => (one === chosen ? { ...one, ...change(one) } : one)) };
  });
}

const has = (name: 'replies' | 'views') => (lines: readonly Line[]) =>
  lines.some((line) => line.kind === 'final' && line.deliveries.some((one) => one[name] > 0));
export const hasReply = has('replies');
export const hasViews = has('views');
export const hasSent = (lines: readonly Line[]) =>
  lines.some(
    (line) =>
      line.kind === 'final' && line.overviews.length > 0 && line.campaigns.some(({ timeline }) => timeline.length > 0),
  );

export const hasActivity = (lines: readonly Line[]) =>
  lines.some((line) => line.kind === 'final' && line.activities.some(({ groups }) => groups.length > 0));

export const loseReply = (lines: readonly Line[]) =>
  changeOne(
    lines,
    ({ replies }) => replies > 0,
    ({ replies }) => ({ replies: replies - 1 }),
  );
export const addView = (lines: readonly Line[]) =>
  changeOne(
    lines,
    ({ views }) => views > 0,
    ({ views }) => ({ views: views + 1 }),
  );

/** Has the overviews tell one post too many, on the day as in all. */
export const raiseOverviews = (lines: readonly Line[]): Line[] =>
  lines.map((line) =>
    line.kind === 'final'
      ? {
          ...line,
          overviews: line.overviews.map(({ totals, daily, ...rest }) => ({
            ...rest,
            totals: { ...totals, sent: totals.sent + 1 },
            daily: daily.map((day, index) => (index === daily.length - 1 ? { ...day, sent: day.sent + 1 } : day)),
          })),
        }
      : line,
  );

/** Has a group with a post too many. */
export const raiseActivity = (lines: readonly Line[]): Line[] =>
  lines.map((line) =>
    line.kind === 'final'
      ? {
          ...line,
          activities: line.activities.map(({ groups, ...rest }) => ({
            ...rest,
            groups: groups.map((group) => ({ ...group, posts: group.posts + 1 })),
          })),
        }
      : line,
  );

/** Has the timelines tell one post too few in each step. */
export const lowerTimelines = (lines: readonly Line[]): Line[] =>
  lines.map((line) =>
    line.kind === 'final'
      ? {
          ...line,
          campaigns: line.campaigns.map((campaign) => ({
            ...campaign,
            timeline: campaign.timeline.map((step) => ({ ...step, sent: step.sent - 1 })),
          })),
        }
      : line,
  );

/** Returns the ids of the events that a webhook was told, in the order in which they were recorded. */
function findTold(lines: readonly Line[]): string[] {
  if (lines.some(({ kind }) => kind === 'put back')) return [];
  const final = lines.findLast((line) => line.kind === 'final');
  const owner = lines.find((line) => line.kind === 'owner' && line.hasWebhook);
  if (owner?.kind !== 'owner' || final?.disabledWebhooks.includes(owner.accountId)) return [];
  if (lines.some((line) => line.kind === 'request' && line.operation === 'erase')) return [];
  const recorded = lines.find((line) => line.kind === 'events');
  return recorded?.events.filter((one) => one.accountId === owner.accountId).map(({ id }) => id) ?? [];
}

export const hasMessages = (lines: readonly Line[]) => findTold(lines).length > 1;

/** Has the webhook never get the last event. */
export function loseMessage(lines: readonly Line[]): Line[] {
  const last = findTold(lines).at(-1);
  return lines.filter((line) => line.kind !== 'message' || line.id !== last);
}

/** Has the webhook get the second event where it got the first one, and the other way round. */
export function swapMessages(lines: readonly Line[]): Line[] {
  const [first = '', second = ''] = findTold(lines);
  const other = new Map([
    [first, lines.find((line) => line.kind === 'message' && line.id === second)],
    [second, lines.find((line) => line.kind === 'message' && line.id === first)],
  ]);
  return lines.map((line) => {
    const told = line.kind === 'message' ? other.get(line.id) : undefined;
    return told?.kind === 'message' && line.kind === 'message'
      ? { ...told, atMs: line.atMs, verdict: line.verdict }
      : line;
  });
}

/** Returns an account that surely knows its groups, the only one of its workspace. */
function findSynced(lines: readonly Line[]): number | undefined {
  const answers = new Map(lines.flatMap((line) => (line.kind === 'answer' ? [[line.request, line]] : [])));
  const isErased = (accountId: number) =>
    lines.some((line) => line.kind === 'request' && line.operation === 'erase' && line.accountId === accountId);
  if (lines.some(({ kind }) => kind === 'put back')) return undefined;
  const sync = lines.findLast(
    (line) =>
      line.kind === 'request' &&
      line.operation === 'sync groups' &&
      answers.get(line.request)?.error === null &&
      accountsBeside(lines, line.accountId).length === 1 &&
      !isErased(line.accountId),
  );
  return sync?.kind === 'request' ? sync.accountId : undefined;
}

export const hasSynced = (lines: readonly Line[]) => findSynced(lines) !== undefined;

/** Has the ledger know no group of an account that has just read them. */
export const loseGroups = (lines: readonly Line[]): Line[] =>
  lines.map((line) =>
    line.kind === 'final'
      ? {
          ...line,
          groups: line.groups.map((one) =>
            one.accountId === findSynced(lines) ? { ...one, isRemoved: true, canSend: false } : one,
          ),
        }
      : line,
  );

/** Returns a post that left right after a warm-up had surely begun. */
function findWarm(lines: readonly Line[]): Of<'send'> | undefined {
  const answers = new Map(lines.flatMap((line) => (line.kind === 'answer' ? [[line.request, line]] : [])));
  const asked = lines.filter((line) => line.kind === 'request' && line.operation === 'warm up');
  const [begin] = asked;
  const answer = begin?.kind === 'request' ? answers.get(begin.request) : undefined;
  if (begin?.kind !== 'request' || asked.length > 1 || answer?.error !== null || !begin.warmUp) return undefined;
  if (lines.some(({ kind }) => kind === 'put back')) return undefined;
  return lines.find(
    (line): line is Of<'send'> =>
      line.kind === 'send' &&
      line.accountId === begin.accountId &&
      line.verdict === 'accepted' &&
      line.arrivedMs > answer.atMs + 60_000,
  );
}

export const hasWarm = (lines: readonly Line[]) => findWarm(lines) !== undefined;

/** Has the account send so often at that instant that no day of a warm-up allows it. */
export function sendTooMuch(lines: readonly Line[]): Line[] {
  const post = findWarm(lines);
  return lines.flatMap((line) =>
    line === post
      ? Array.from({ length: 1_000 }, (_, index) => ({ ...post, messageId: `${post.messageId} ${index}` }))
      : [line],
  );
}

/** Returns the accounts of a workspace with several, the default one first, of any of its accounts. */
function accountsBeside(lines: readonly Line[], accountId: number): number[] {
  const owner = lines.find(
    (line) =>
      line.kind === 'owner' &&
      [line.accountId, ...(line.further ?? []).map((one) => one.accountId)].includes(accountId),
  );
  return owner?.kind === 'owner' ? [owner.accountId, ...(owner.further ?? []).map((one) => one.accountId)] : [];
}

/** Returns the posts that were accepted, and sent by one of several accounts. */
const acceptedOfSeveral = (lines: readonly Line[]) =>
  lines.filter(
    (line): line is Of<'send'> =>
      line.kind === 'send' && line.verdict === 'accepted' && accountsBeside(lines, line.accountId).length > 1,
  );

/** Has another account of the workspace send all attempts of a post. */
const sendBy = (lines: readonly Line[], messageId: string, accountId: number): Line[] =>
  lines.map((line) =>
    (line.kind === 'send' || line.kind === 'change' || line.kind === 'offline') && line.messageId === messageId
      ? { ...line, accountId }
      : line,
  );

/** Returns a history for each of the first posts of workspaces with several accounts, which another account sends. */
export const sendByOthers = (lines: readonly Line[], most: number): Line[][] =>
  acceptedOfSeveral(lines)
    .slice(0, most)
    .map(({ messageId, accountId }) => {
      const other = accountsBeside(lines, accountId).find((one) => one !== accountId) ?? accountId;
      return sendBy(lines, messageId, other);
    });

/** Returns a history for each of the first posts that left while another account of the workspace was banned, which that account sends. */
export function sendByBanned(lines: readonly Line[], most: number): Line[][] {
  const bans = lines.filter((line) => line.kind === 'standing').filter(({ standing }) => standing === 'banned');
  return acceptedOfSeveral(lines)
    .flatMap(({ messageId, accountId, arrivedMs }) => {
      const own = accountsBeside(lines, accountId);
      const banned = bans.find((one) => own.includes(one.accountId) && one.atMs < arrivedMs);
      return banned ? [sendBy(lines, messageId, banned.accountId)] : [];
    })
    .slice(0, most);
}

/** Returns a history for each of the first pairs of first attempts of a run that one of several accounts made, in the order of the run, and that change their turns. */
export function swapPosts(lines: readonly Line[], most: number): Line[][] {
  const final = lines.findLast((line) => line.kind === 'final');
  const deliveries = new Map(final?.deliveries.map((one) => [one.messageId, one]));
  const positionOf = ({ messageId }: Of<'send'>) => deliveries.get(messageId)?.position ?? 0;
  const attempts = Map.groupBy(
    lines.filter((line) => line.kind === 'send' || line.kind === 'offline'),
    ({ messageId }) => messageId,
  );
  const runs = Map.groupBy(
    acceptedOfSeveral(lines).filter(
      (line) => deliveries.has(line.messageId) && !line.uncertain && attempts.get(line.messageId)?.[0] === line,
    ),
    ({ messageId, accountId }) => `${accountId} ${deliveries.get(messageId)?.runId}`,
  );
  return [...runs.values()]
    .flatMap((own) => own.slice(1).map((later, index) => [own[index] ?? later, later] as const))
    .filter(([one, other]) => positionOf(one) < positionOf(other))
    .slice(0, most)
    .map(([one, other]) => {
      const trade = (slot: Of<'send'>, post: Of<'send'>): Of<'send'> => {
        const { atMs, arrivedMs, answeredMs, process } = slot;
        return { ...post, atMs, arrivedMs, answeredMs, process };
      };
      return lines.map((line) => (line === one ? trade(one, other) : line === other ? trade(other, one) : line));
    });
}
