import { NEVER_SEEN } from '../../sending/campaigns/read/read-progress.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import type { Cursor } from '../../workspaces/events/read-new-events.ts';
import { eventFrame, positionFrame, type EventStream } from './event-stream.ts';

/** The streams of a workspace, and the position up to which they have received events. */
export interface WorkspaceChannel {
  readonly workspaceId: WorkspaceId;
  /** The change counter at the last poll. */
  changes: number;
  /** Up to where `streams` have been told events; undefined: nobody has. */
  cursor: Cursor | undefined;
  readonly streams: Set<EventStream>;
  /** Streams that have not received a snapshot yet. */
  readonly newcomers: Set<EventStream>;
  /** Streams that have missed more than a page. Each is backfilled alone before it becomes a newcomer again. */
  readonly behind: Set<EventStream>;
  /** Returns the position after which events are needed; undefined when no stream needs any. */
  after(): number | undefined;
  /** All accounts, the default one first. `othersJson` is for members who do not own the workspace: without the code that links a phone. */
  setAccounts(accounts: ReadonlyArray<{ accountId: AccountId; json: string; othersJson: string }>): void;
  /** All campaigns that are worth telling of, in order. */
  setCampaigns(
    campaigns: ReadonlyArray<{ campaignId: string; isCurrent: boolean; isDeleted: boolean; json: string }>,
  ): void;
  /** Sends the states that have changed since the last broadcast. A state that was sent less than `pauseMs` ago waits. */
  broadcastChanges(nowMs: number, pauseMs: number): void;
  /** Sends the position to resume from: without events the client's last one would expire. */
  broadcastPosition(): void;
  /** Sends a snapshot to the newcomers that waited when the poll began. The end of the snapshot carries the position to continue from. */
  sendSnapshot(waiting: readonly EventStream[]): void;
}

interface TrackedState {
  name: 'account' | 'campaign' | 'campaign_deleted';
  isCurrent: boolean;
  json: string;
  /** For members who do not own the workspace; undefined: the same. */
  othersJson?: string;
  sentJson: string | undefined;
  sentAtMs: number;
}

/** Writes frames once for owners and once for all others, each when the first stream needs them. */
function forRoles(write: (jsonOf: (state: TrackedState) => string) => string): (stream: EventStream) => string {
  let forOwners: string | undefined;
  let forOthers: string | undefined;
  return ({ caller }) =>
    caller.role === 'owner'
      ? (forOwners ??= write(({ json }) => json))
      : (forOthers ??= write(({ json, othersJson = json }) => othersJson));
}

/** The last frame carries the position to continue from. */
function snapshotFrames(
  current: readonly TrackedState[],
  jsonOf: (state: TrackedState) => string,
  cursor: Cursor | undefined,
): string {
  const lastAt = current.length - 1;
  return current.map((one, at) => eventFrame(one.name, jsonOf(one), at === lastAt ? cursor : undefined)).join('');
}

export function createWorkspaceChannel(workspaceId: WorkspaceId): WorkspaceChannel {
  let accounts = new Map<AccountId, TrackedState>();
  let campaigns = new Map<string, TrackedState>();
  let wasSeen = false;

  /** The state of the first poll is no change. */
  const fresh = (name: TrackedState['name'], isCurrent: boolean, json: string): TrackedState => ({
    name,
    isCurrent,
    json,
    sentJson: wasSeen ? undefined : json,
    sentAtMs: -Infinity,
  });
  const all = () => [...accounts.values(), ...campaigns.values()];

  return {
    workspaceId,
    changes: NEVER_SEEN,
    cursor: undefined,
    streams: new Set(),
    newcomers: new Set(),
    behind: new Set(),
    after() {
      const own = this.streams.size > 0 ? this.cursor : undefined;
      const places = [own, ...[...this.newcomers].map((stream) => stream.cursor)];
      const positions = places.flatMap((place) => (place ? [place.position] : []));
      return positions.length > 0 ? Math.min(...positions) : undefined;
    },
    setAccounts(found) {
      const before = accounts;
      const tracked = (id: AccountId, json: string) => before.get(id) ?? fresh('account', true, json);
      accounts = new Map(
        found.map(({ accountId: id, ...jsons }) => [id, Object.assign(tracked(id, jsons.json), jsons)]),
      );
    },
    setCampaigns(found) {
      const before = campaigns;
      campaigns = new Map(
        found.map(({ campaignId, isCurrent, isDeleted, json }) => {
          const known = before.get(campaignId);
          const name = isDeleted ? 'campaign_deleted' : 'campaign';
          return [campaignId, known ? Object.assign(known, { name, isCurrent, json }) : fresh(name, isCurrent, json)];
        }),
      );
      wasSeen = true;
    },
    broadcastChanges(nowMs, pauseMs) {
      const changed = all().filter((one) => one.json !== one.sentJson && nowMs - one.sentAtMs >= pauseMs);
      if (changed.length === 0) return;
      const frames = forRoles((jsonOf) => changed.map((one) => eventFrame(one.name, jsonOf(one))).join(''));
      for (const one of changed) Object.assign(one, { sentJson: one.json, sentAtMs: nowMs });
      for (const stream of this.streams) stream.send(frames(stream));
    },
    broadcastPosition() {
      if (this.cursor) for (const stream of this.streams) stream.send(positionFrame(this.cursor));
    },
    sendSnapshot(waiting) {
      const current = all().filter((one) => one.isCurrent);
      const position = current.length === 0 && this.cursor ? positionFrame(this.cursor) : '';
      const frames = forRoles((jsonOf) => snapshotFrames(current, jsonOf, this.cursor));
      for (const stream of waiting) {
        // It may have left meanwhile.
        if (!this.newcomers.delete(stream)) continue;
        stream.sendUnbounded(frames(stream) + position);
        this.streams.add(stream);
      }
    },
  };
}
