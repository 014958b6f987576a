/** The lines of a history file: JSON Lines, documented in docs/reference/simulation-history.md. */
export type Fault =
  /** Its process ends before the statement is sent. */
  | 'crash before'
  /** Its process ends when the statement is done, and hears nothing. */
  | 'crash after'
  /** The statement is done, and the connection breaks before its answer has come. */
  | 'answer lost'
  /** The connection breaks before the statement is sent. */
  | 'cut'
  /** It reaches the server late. */
  | 'delayed'
  /** Its process stops for longer than its lease before the statement is sent, and goes on. */
  | 'frozen'
  /** The server cancels it. */
  | 'cancelled';

export const FAULTS: readonly Fault[] = [
  'crash before',
  'crash after',
  'answer lost',
  'cut',
  'delayed',
  'frozen',
  'cancelled',
];

export interface FinalDelivery {
  campaign: string;
  runId: number;
  position: number;
  groupId: number;
  messageId: string;
  status: 'queued' | 'sent' | 'failed' | 'cancelled';
  uncertain: boolean;
  sentMs: number | null;
  /** Members when it was sent, other than the sender. */
  recipients: number;
  delivered: number;
  read: number;
  reactions: number;
  replies: number;
  /** Of a channel. */
  views: number;
  error: string | null;
  errorCode?: string | null;
  isRecalled: boolean;
  isCorrected: boolean;
  revisionError: string | null;
  /** Its pin is what the ledger tells: pinned, not pinned, or still to be changed; null: no pin was ever wanted. */
  pin: 'pinned' | 'not pinned' | 'waiting' | null;
  pinFailure: unknown;
  /** Of a post that mentions everybody: whether it left without that; null: it does not mention anybody, or was not tried. */
  isMentionLeftOut: boolean | null;
}

/** Of the owner's zone, which is UTC in these worlds. */
export interface AskedSendWindow {
  dailyCap: number | null;
  quietHours: { from: string; to: string } | null;
}

export interface Counted {
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  recalled: number;
  corrected: number;
  /** null: channels do not report it. */
  delivered: number | null;
  read: number | null;
  reactions: number;
  replies: number | null;
  /** null: only channels report it. */
  views: number | null;
}

export interface DaySums {
  runs: number;
  sent: number;
  failed: number;
  delivered: number;
  read: number;
}

/** What get-overview returns for the owner of an account. */
export interface FinalOverview {
  accountId: number;
  totals: DaySums & { campaigns: number; groups: number };
  /** Each day of the owner's zone, `YYYY-MM-DD`. */
  daily: Array<DaySums & { date: string }>;
}

/** What list-groups returns for the owner of an account about posts of runs that began after an instant. */
export interface FinalActivity {
  accountId: number;
  sinceMs: number;
  groups: Array<{ groupId: number; posts: number; failed: number; lastMs: number | null }>;
}

/** What members did, as the messaging application reported it. */
export type Receipt =
  | {
      what: 'delivered' | 'read' | 'reacted' | 'replied';
      messageId: string;
      participant: string;
      /** It may be an alias, which a later `same` reports. */
      isProvisional?: boolean;
    }
  | {
      what: 'voted';
      messageId: string;
      participant: string;
      isProvisional?: boolean;
      /** The numbers of the chosen options, from 0; none: taken back. null: it could not be opened. */
      options: number[] | null;
      /** By the clock of the voter. */
      votedMs: number;
    }
  | { what: 'viewed'; messageId: string; views: number; reactions: number }
  | { what: 'same'; accountId: number; participant: string; alias: string };

export interface FinalPoll {
  runId: number;
  groupId: number;
  voters: number;
  unreadable: number;
  /** Of each option. */
  votes: number[];
  /** The sum over its hours is that over its groups. */
  isRunEven: boolean;
}

export interface FinalRun {
  runId: number;
  status: string;
  targets: number;
  dueMs: number;
  /** null: it has not begun. */
  startedMs: number | null;
  finishedMs: number | null;
}

/** Dates are `YYYY-MM-DD`, the time is `HH:MM` or `HH:MM:SS`, weekdays are counted from 1 for Monday; null: every day. */
export interface AskedSchedule {
  startDate: string;
  endDate: string;
  time: string;
  /** IANA. */
  timeZone: string;
  weekdays: readonly number[] | null;
  skipDates: readonly string[];
}

export interface FinalCampaign {
  campaign: string;
  text: string;
  status: string;
  deleted: boolean;
  accountId: number;
  runs: FinalRun[];
  totals: Counted | null;
  groups: Array<Counted & { groupId: number }>;
  /** In steps of a minute or more. */
  timeline: Array<{ atMs: number; sent: number; delivered: number; read: number }>;
}

/** What an event says about one group: which fields it has depends on its type. */
export interface EventItem {
  groupId: number;
  change?: 'added' | 'removed' | 'changed';
  canSend?: boolean;
  replies?: number;
  reactions?: number;
}

/** An event of a workspace, as webhooks get it. */
export interface RecordedEvent {
  accountId: number;
  /** The same in each attempt to tell it. */
  id: string;
  type: string;
  campaign: string | null;
  runId: number | null;
  items: EventItem[];
}

/** A group of an account, as the ledger knows it. */
export interface FinalGroup {
  accountId: number;
  chatId: string;
  isRemoved: boolean;
  canSend: boolean;
}

/** Whether an account belongs to a chat: `muted` sees it, and may not post there; `gone` does not see it any more. */
export type Membership = 'member' | 'muted' | 'gone';

/** How an account stands at the messaging application. A `banned` one stays banned; a `logged out` one is linked again by its user. */
export type Standing = 'linked' | 'logged out' | 'banned' | 'paused';

/** An account of a workspace beside its default account, and the chats that it belongs to. */
export interface FurtherAccount {
  accountId: number;
  chats: readonly string[];
}

/** Who sends to groups, in this order; to all groups of the workspace without rules of their own where none is named. */
export interface SenderRule {
  groupIds: readonly number[];
  senders: readonly number[];
}

/** A way to a group: an account that is a member, as the ledger knows it. */
export interface FinalWay {
  accountId: number;
  groupId: number;
  isGone: boolean;
  canSend: boolean;
}

export type Happening =
  | { kind: 'world'; format: 3; seed: number; steps: number; workers: number; gapMs: number }
  | {
      kind: 'owner';
      accountId: number;
      timeZone: string;
      chats: readonly string[];
      groupIds: readonly number[];
      channelIds: readonly number[];
      /** It has a webhook for all events, from before anything happened. */
      hasWebhook: boolean;
      /** Absent: there is only the default account. */
      further?: readonly FurtherAccount[];
      /** After how many minutes of downtime stand-ins take over; null: once somebody hands over. Absent where there are no stand-ins. */
      failoverMinutes?: number | null;
      /** Who sends where, from before anything happened. Absent: nobody has set it. */
      rules?: readonly SenderRule[];
    }
  | { kind: 'started' | 'ended' | 'crashed' | 'stopping'; process: string }
  | { kind: 'slept'; forMs: number }
  | { kind: 'clock'; process: string; byMs: number }
  | { kind: 'healed' }
  | { kind: 'froze'; process: string; forMs: number }
  | { kind: 'left alone'; process: string; killed: readonly string[]; frozen: readonly string[] }
  | { kind: 'stuck'; forMs: number; running: number; revising: number; inHand: number; untold: number }
  | { kind: 'copied' }
  | { kind: 'put back' }
  /** Before the release: it may break off after some campaigns, and another one choose otherwise for the rest. */
  | { kind: 'releasing'; others: 'send' | 'unknown' }
  | { kind: 'released'; others: 'send' | 'unknown' }
  | { kind: 'created'; accountId: number; name: string }
  | { kind: 'membership'; accountId: number; chatId: string; membership: Membership }
  /** `forMs`: a pause ends by itself after this time. */
  | { kind: 'standing'; accountId: number; standing: Standing; forMs?: number }
  | { kind: 'listed'; accountId: number; chats: Array<{ chatId: string; canSend: boolean }> }
  | {
      kind: 'request';
      request: number;
      operation: string;
      accountId: number;
      text: string;
      groupIds?: readonly number[];
      /** The process that got it. */
      process: string;
      schedule?: AskedSchedule;
      /** SHA-256 of the file of its posts, as hex; none unless given. */
      file?: string;
      /** The Idempotency-Key. */
      key?: string;
      /** It is about one run, which the answer names. */
      isOfRun?: boolean;
      rest?: AskedSendWindow;
      /** Whether a warm-up begins, or ends. */
      warmUp?: boolean;
      /** Its posts mention everybody, are pinned, or quote the posts of that campaign. */
      mentionsAll?: true;
      isPinned?: true;
      repliesTo?: string;
      /** Its posts go only to groups in which fewer members than that have read that campaign. */
      followUp?: { campaign: string; underPercent: number };
      /** The text that an `update` gives to the runs that have not begun. */
      newText?: string;
      /** The account that a `hand over` takes from, a `connect` links, or a `sync groups` is about; of `hand over` also the one that goes first, if any. */
      ofAccount?: number;
      toAccount?: number;
      /** The accounts that `set senders` puts in this order. */
      senders?: readonly number[];
      /** What a `set failover` changes: see `failoverMinutes` of an owner. */
      failoverMinutes?: number | null;
      failsBack?: boolean;
    }
  | { kind: 'answer'; request: number; campaign: string | null; error: string | null; runId?: number }
  | {
      kind: 'statement';
      statement: number;
      process: string;
      connection: number;
      sql: string;
      outcome: string;
      fault: Fault | null;
      /** Of `delayed` and `frozen`. */
      delayMs?: number;
    }
  | {
      kind: 'send';
      process: string;
      accountId: number;
      chatId: string;
      messageId: string;
      text: string;
      /** SHA-256 of its file, as hex; null: it has none. */
      file: string | null;
      uncertain: boolean;
      /** Everybody is mentioned. Absent: not. */
      mentionsAll?: true;
      /** The id of the post that it quotes. */
      quoted?: string;
      verdict: 'accepted' | 'copy' | 'refused' | 'refused for good' | 'not a member' | 'vanished';
      arrivedMs: number;
      answeredMs: number;
    }
  | { kind: 'offline'; process: string; accountId: number; messageId: string }
  | { kind: 'events'; events: RecordedEvent[] }
  | ({
      kind: 'message';
      process: string;
      verdict: 'accepted' | 'answer lost' | 'rejected' | 'unanswered';
    } & RecordedEvent)
  | {
      kind: 'change';
      change: 'recall' | 'correct' | 'pin' | 'unpin';
      /** The account that changed it. Absent in histories of 0.1.0. */
      accountId?: number;
      messageId: string;
      text: string;
      result: string;
    }
  | { kind: 'receipts'; receipts: Receipt[] }
  | {
      kind: 'final';
      campaigns: FinalCampaign[];
      deliveries: FinalDelivery[];
      overviews: FinalOverview[];
      groups: FinalGroup[];
      /** The accounts whose webhook the service has disabled. */
      disabledWebhooks: number[];
      activities: FinalActivity[];
      /** What get-poll-results adds up from, of each run and group with votes. Absent in histories of 0.1.0. */
      polls?: FinalPoll[];
      /** Of the accounts of workspaces with several. Absent in histories of 0.1.0. */
      ways?: FinalWay[];
      inHand: number;
      stoppedAccounts: number;
    };

export type Line = { atMs: number } & Happening;

export const writeLines = (lines: readonly Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
