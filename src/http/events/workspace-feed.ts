import { NEVER_SEEN } from '../../campaigns/read-progress.ts';
import type { WorkspaceId } from '../../database/schema.ts';
import { eventFrame, type EventStream } from './event-stream.ts';

/** What a workspace's clients have been told, and who they are. */
export interface WorkspaceFeed {
  readonly workspaceId: WorkspaceId;
  /** Of the last look into the ledger. */
  changes: number;
  readonly streams: Set<EventStream>;
  /** Who has not got a snapshot yet. */
  readonly newcomers: Set<EventStream>;
  noteAccount(json: string): void;
  /** All campaigns that are worth telling of, in order. */
  noteCampaigns(
    campaigns: ReadonlyArray<{ campaignId: string; isOpen: boolean; isDeleted: boolean; json: string }>,
  ): void;
  /** Sends what has changed since it was last told; what was told less than `pauseMs` ago waits. */
  tell(nowMs: number, pauseMs: number): void;
  /** Sends a snapshot to those who waited for one when the look began. */
  welcome(waiting: readonly EventStream[]): void;
}

interface Told {
  name: 'account' | 'campaign' | 'campaign_deleted';
  isOpen: boolean;
  json: string;
  told: string | undefined;
  toldAtMs: number;
}

export function createWorkspaceFeed(workspaceId: WorkspaceId): WorkspaceFeed {
  let account: Told | undefined;
  let campaigns = new Map<string, Told>();
  let wasSeen = false;

  /** What is found by the first look is no change. */
  const fresh = (name: Told['name'], isOpen: boolean, json: string): Told => ({
    name,
    isOpen,
    json,
    told: wasSeen ? undefined : json,
    toldAtMs: -Infinity,
  });
  const all = () => [...(account ? [account] : []), ...campaigns.values()];

  return {
    workspaceId,
    changes: NEVER_SEEN,
    streams: new Set(),
    newcomers: new Set(),
    noteAccount(json) {
      if (account) account.json = json;
      else account = fresh('account', true, json);
    },
    noteCampaigns(found) {
      const before = campaigns;
      campaigns = new Map(
        found.map(({ campaignId, isOpen, isDeleted, json }) => {
          const known = before.get(campaignId);
          const name = isDeleted ? 'campaign_deleted' : 'campaign';
          return [campaignId, known ? Object.assign(known, { name, isOpen, json }) : fresh(name, isOpen, json)];
        }),
      );
      wasSeen = true;
    },
    tell(nowMs, pauseMs) {
      const changed = all().filter((one) => one.json !== one.told && nowMs - one.toldAtMs >= pauseMs);
      if (changed.length === 0) return;
      const frames = changed.map(({ name, json }) => eventFrame(name, json)).join('');
      for (const one of changed) Object.assign(one, { told: one.json, toldAtMs: nowMs });
      for (const stream of this.streams) stream.send(frames);
    },
    welcome(waiting) {
      const frames = all()
        .filter((one) => one.isOpen)
        .map(({ name, json }) => eventFrame(name, json))
        .join('');
      for (const stream of waiting) {
        // It may have left meanwhile.
        if (!this.newcomers.delete(stream)) continue;
        stream.begin(frames);
        this.streams.add(stream);
      }
    },
  };
}
