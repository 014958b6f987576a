/** Changes the posts of one turn through its account's session: one outcome a post, whatever goes wrong. */
import type { Sessions } from '../sessions/sessions.ts';
import type { Log } from '../../platform/log/log.ts';
import type { MessengersCapabilities, PostChange, RevisionResult } from '../../messengers/messenger.ts';
import type { Database } from '../../platform/database/statements.ts';
import { readValues } from '../values/write-values.ts';
import type { RevisedPost, RevisionTurn } from './claim-revisions.ts';
import type { RevisionOutcome } from './finish-revision.ts';
import type { PostFields, Posts } from './load-posts.ts';
import { classifyResult } from './outcome.ts';
import { whyTooLate } from './too-late.ts';
import { describeFailure, toChangeFailure } from '../../platform/errors/failures.ts';

export interface TurnRevising {
  db: Database;
  /** IANA, the installation's. */
  timeZone: string;
  log: Log;
  sessions: Pick<Sessions, 'get'>;
  posts: Posts;
  messengers: MessengersCapabilities;
}

/** What is queued for another try of sending has to leave first. */
const OPEN_PAUSE_MS = 10_000;
const COOLDOWN_WITHOUT_SESSION_MS = 5_000;

/** What a turn came to. */
export interface Revised {
  outcomes: RevisionOutcome[];
  /** How long the account cannot be reached, in milliseconds. */
  cooldownMs: number;
  /** Something may have left, so that the account owes its gap. */
  wasAttempted: boolean;
}

/** Never rejects. `mayGoOn` as of a send. */
export async function reviseTurn(revising: TurnRevising, turn: RevisionTurn, mayGoOn: () => boolean): Promise<Revised> {
  const windows = revising.messengers.get(turn.messenger)?.changeWindows;
  const results = new Map<RevisedPost, RevisionResult>();
  const inTime: RevisedPost[] = [];
  for (const post of turn.posts) {
    if (post.state !== 'sent' && post.state !== 'perhaps') continue;
    const tooLate = whyTooLate(windows, turn, post);
    if (tooLate === undefined) inTime.push(post);
    else results.set(post, { kind: 'refused', ...tooLate, final: true });
  }
  const changed = inTime.length > 0 ? await changeAll(revising, turn, { inTime, mayGoOn }) : [];
  for (const [index, result] of changed.entries()) {
    const post = inTime[index];
    if (post) results.set(post, result);
  }
  const cooldownMs = changed.reduce((rest, one) => (one.kind === 'offline' ? Math.max(rest, one.cooldownMs) : rest), 0);
  const wasAttempted = changed.some(({ kind }) => kind !== 'offline');
  return { outcomes: turn.posts.map((post) => classifyRevision(post, results.get(post))), cooldownMs, wasAttempted };
}

async function changeAll(
  { db, timeZone, log, sessions, posts }: TurnRevising,
  turn: RevisionTurn,
  { inTime, mayGoOn }: { inTime: readonly RevisedPost[]; mayGoOn: () => boolean },
): Promise<RevisionResult[]> {
  const { accountId } = turn;
  const all = (result: RevisionResult) => inTime.map(() => result);
  const notAttempted = (cooldownMs: number) => all({ kind: 'offline', reason: 'not ready', cooldownMs });
  try {
    const session = await sessions.get(accountId);
    if (!session) return notAttempted(COOLDOWN_WITHOUT_SESSION_MS);
    if (!session.revise) return all({ kind: 'refused', ...describeFailure('changes_unsupported'), final: true });
    const { change, fields } = await toChange(posts, turn);
    if (!mayGoOn()) return notAttempted(0);
    if (!fields) return await session.revise(change, inTime, mayGoOn);
    const positions = inTime.map(({ position }) => position);
    const values = await readValues(db, { ...turn, positions }, fields.template, timeZone);
    const results: RevisionResult[] = [];
    for (const one of inTime) {
      const post = fields.fill(values.get(one.position) ?? {});
      const isUnfit = 'failure' in post;
      // A recall needs no values: a correction that lacks one has left the post as it was.
      if (isUnfit && change.kind === 'correct') results.push({ kind: 'refused', ...post.failure, final: true });
      else results.push(...(await session.revise(isUnfit ? change : { kind: change.kind, post }, [one], mayGoOn)));
    }
    return results;
  } catch (error) {
    log.warn({ err: error, accountId, kind: turn.kind }, 'a change of sent posts broke off, and is tried again');
    return all({ kind: 'unknown', ...describeFailure('connection_broke') });
  }
}

async function toChange(
  posts: Posts,
  { kind, contentId, seconds, runId, posts: revised }: RevisionTurn,
): Promise<
  | { change: PostChange; fields?: undefined }
  | { change: Extract<PostChange, { kind: 'recall' | 'correct' }>; fields: PostFields }
> {
  if (kind === 'unpin') return { change: { kind } };
  if (kind === 'pin') return { change: { kind, seconds: seconds ?? 0 } };
  if (kind === 'recall' && !revised.some(({ sentBy }) => sentBy)) return { change: { kind } };
  if (contentId === null) throw new Error(`it is not known what the posts of run ${runId} say`);
  const { post, fields } = await posts.get(contentId);
  const change = kind === 'recall' ? { kind, post } : { kind, post };
  return fields ? { change, fields } : { change };
}

/** `result` is undefined for what was not asked of the messenger. */
function classifyRevision(post: RevisedPost, result: RevisionResult | undefined): RevisionOutcome {
  if (post.state === 'open') return { kind: 'retry', waitMs: OPEN_PAUSE_MS, tries: 0 };
  if (!result) return { kind: 'absent' };
  if (result.kind === 'done') return result;
  if (result.kind === 'absent')
    return post.state === 'sent' ? { kind: 'failed', ...toChangeFailure(result) } : { kind: 'absent' };
  if (result.kind === 'offline') return { kind: 'retry', waitMs: 0, tries: 0 };
  const outcome = classifyResult(result, { attempts: post.attempts, uncertain: false });
  if (outcome.kind === 'retry') return { kind: 'retry', waitMs: outcome.waitMs, tries: 1 };
  if (outcome.kind !== 'failed') return { kind: 'failed', ...toChangeFailure(result) };
  return { kind: 'failed', ...toChangeFailure(outcome), isAccessDenied: outcome.isAccessDenied ?? false };
}
