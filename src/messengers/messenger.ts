/**
 * The port to a messaging application. The ledger decides what is sent, when and how often; a messenger only carries it and tells
 * the truth about what became of it. Every implementation passes the same conformance suite.
 */
import type { ChangeWindow } from './windows.ts';

/** Whose identity a session acts with. */
export interface MessengerAccount {
  accountId: number;
  /** The user's own number, digits only: no other may be linked. Undefined: the user is gone, and whichever is linked is it. */
  phoneNumber: string | undefined;
  /** The pause it is in, or was in not long ago; undefined: none. */
  pause?: KnownPause | undefined;
}

/** Why a messaging application lets an account rest. */
export type PauseCause =
  /** It asks for less haste. */
  | 'rate_limited'
  /** It has restricted what the account may do. */
  | 'restricted'
  /** It refused one post after the other. */
  | 'refused'
  /** The same link is used from elsewhere. */
  | 'used_elsewhere'
  /** It has banned the account for a while. */
  | 'banned';

/** A pause that was told before, by whichever process. */
export interface KnownPause {
  cause: PauseCause;
  reason: string;
  /** How long it goes on, in milliseconds; 0: it is over. */
  leftMs: number;
  /** Which it was of those that followed each other soon. */
  times: number;
}

/** What is said: the same for every group of a run. */
export interface Post {
  /** In the messaging application's own formatting, 65,536 UTF-16 units at most. */
  text: string;
  media: PostMedia | null;
}

export interface PostMedia {
  mime: string;
  size: number;
  /** Of the bytes. */
  sha256: Buffer;
  /** What a document is called at the receiver's. */
  fileName: string;
  /** The bytes; fetched once a run, not once a group. */
  load(): Promise<Buffer>;
}

/** One group the post goes to. */
export interface Destination {
  /** The chat to write to: `<digits>@g.us` or `<digits>@newsletter`. */
  chatId: string;
  /** Fixed before the first try and the same in every one, so that a repeated try can be recognised. */
  messageId: string;
  /**
   * An earlier try may have left. Where the application drops repeated ids it is simply sent again. Where it does not, the
   * messenger looks for the message first and never sends it by itself: `sendUnlessThere` is how.
   */
  uncertain: boolean;
  /** Its owner wants an uncertain one sent again when it is not found. */
  resend: boolean;
}

/** How the reason begins when nobody can tell whether a post arrived (contract §5). */
export const OUTCOME_UNKNOWN = 'outcome_unknown';

/** What one try came to. Nothing is guessed: what cannot be known is `unknown`. */
export type SendResult =
  | { kind: 'sent'; /** Participants other than the sender, now. */ recipients: number }
  | { kind: 'refused'; reason: string; /** Trying again cannot help. */ final: boolean }
  | { kind: 'unknown'; reason: string }
  /** It cannot leave yet, which says nothing about other posts of the account. Uses up no try. `waitMs` in milliseconds. */
  | { kind: 'later'; reason: string; waitMs: number }
  | { kind: 'offline'; reason: string; /** How long the account should rest, in milliseconds. */ cooldownMs: number };

export type GroupKind = 'group' | 'community' | 'channel';

/** A chat the account can see, as the messaging application describes it. */
export interface MessengerGroup {
  chatId: string;
  /** Where posts go: of a community its announcement group, else the chat itself. */
  sendTo: string;
  kind: GroupKind;
  name: string;
  /** With the account itself; of a channel its followers. */
  participants: number;
  inviteLink: string | null;
  canSend: boolean;
  createdAt: Date;
}

/** A post that has left, or may have. */
export interface SentPost {
  chatId: string;
  /** The id it was sent with. */
  messageId: string;
}

/** What becomes of posts: deleted for everyone, or edited to say what `post` says. Its media is that of the post as it was sent. */
export type PostChange = { kind: 'recall' } | { kind: 'correct'; post: Post };

/** What one try to change a post came to. */
export type RevisionResult =
  | { kind: 'done' }
  /** There is no such post. */
  | { kind: 'absent'; reason: string }
  | { kind: 'refused'; reason: string; /** Trying again cannot help. */ final: boolean }
  /** It is tried again: to change a post twice in the same way has to do no harm. */
  | { kind: 'unknown'; reason: string }
  | { kind: 'offline'; reason: string; /** How long the account should rest, in milliseconds. */ cooldownMs: number };

export type LinkMethod = 'qr' | 'pairing_code';

/** How an account stands with the messaging application. `reason` is one sentence for its user. */
export type SessionState =
  /** Waits for the user's phone. A code is shown anew before it expires, so many milliseconds from now. */
  | { status: 'linking'; method: LinkMethod; code: string; goodForMs: number }
  /** `phoneNumber`: digits, of the phone that has agreed to the link; undefined: none had to. */
  | { status: 'connected'; phoneNumber?: string | undefined }
  /** There is no connection, or none yet; it comes by itself. */
  | { status: 'reconnecting'; reason: string }
  /** The messaging application asks for rest. Goes on by itself, so many milliseconds from now. */
  | ({ status: 'paused'; cooldownMs: number } & Pick<KnownPause, 'cause' | 'reason' | 'times'>)
  /** The link was ended from outside; its credentials are gone. */
  | { status: 'logged_out'; reason: string }
  /** `rejectedNumber`: digits, of a phone that would have been linked, had it had the account's number. */
  | { status: 'unlinked'; reason: string | null; rejectedNumber?: string | undefined };

/** Hears of each change of the state, in order. Never throws. */
export type OnStateChange = (state: SessionState) => void;

/** A live connection of one account. At most one exists for an account anywhere: it belongs to the account's lease. */
export interface MessengerSession {
  /**
   * Sends the post to each destination in order. One result a destination, in the same order; never rejects for a single one.
   * `mayGoOn` says whether the account is still this worker's: it is asked right before anything leaves, be it one post or all that
   * leave together, and once it is false the rest is answered `offline`. Somebody else is sending them by then.
   */
  send(post: Post, to: readonly Destination[], mayGoOn: () => boolean): Promise<SendResult[]>;
  /**
   * Changes posts in order, one result a post. What was changed so before is `done` again. Left out by a messenger whose application
   * cannot; then each is refused for good. `mayGoOn` as of a send.
   */
  revise?(change: PostChange, posts: readonly SentPost[], mayGoOn: () => boolean): Promise<RevisionResult[]>;
  /** All chats one can see. `knownChannels`: chat ids of channels that were listed or created before. */
  listGroups(knownChannels: readonly string[]): Promise<MessengerGroup[]>;
  /** `participants` are phone numbers, digits only. Throws an AppError for what the messaging application refuses. */
  createGroup(group: { name: string; participants: readonly string[] }): Promise<MessengerGroup>;
  createCommunity(community: { name: string; description: string }): Promise<MessengerGroup>;
  createChannel(channel: { name: string; description: string; picture: Buffer | null }): Promise<MessengerGroup>;
  /**
   * Ends the link and drops the credentials. False when the messaging application could not be told, so that the user has to take
   * the link away there. Throws `unavailable` when it was told and did not confirm.
   */
  unlink(): Promise<boolean>;
  /** Resolves when the session is of no further use, because it was closed or has ended by itself. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * What a messaging application is like, as far as others decide by it: known in every process, also where none of its sessions is.
 * Nobody else asks for its name to find out. What is left out has its default.
 */
export interface MessengerCapabilities {
  readonly name: string;
  /** Default is `false`. If this is true, its sessions have to stay open all the time, and not only while something is sent. */
  readonly staysOpen?: boolean;
  /**
   * Default is `false`. If this is true, no phone has to agree to a link: a new account is connected from the start, and one can be
   * given another messenger without ending its link first.
   */
  readonly linksAtOnce?: boolean;
  /**
   * Default is `false`. If this is true, the posts of a turn leave one after the other, each when the one before was answered, and
   * `mayGoOn` is asked before each. A turn is then one delivery, also where no gap is configured.
   */
  readonly sendsOneByOne?: boolean;
  /** Default is for ever. If this is given, a post that is older is not recalled or corrected any more, and nobody asks for it. */
  readonly changeWindows?: Readonly<Record<PostChange['kind'], ChangeWindow>>;
}

/** What messengers are like, by name. */
export type MessengersCapabilities = ReadonlyMap<string, MessengerCapabilities>;

export interface Messenger extends MessengerCapabilities {
  /**
   * Opens the session of a linked account. It connects by itself, and again whenever it has to, and tells how it stands: until a
   * connection stands, that there is none yet.
   * Undefined when the account turns out not to be linked, which is told too.
   */
  open(account: MessengerAccount, onStateChange: OnStateChange): Promise<MessengerSession | undefined>;
  /**
   * Begins to link an account that is not linked, whatever was left of an earlier attempt. Resolves when a code can be shown, or
   * the account is connected at once; either has been told by then. Throws `unavailable` when no code can be had.
   */
  link(account: MessengerAccount, method: LinkMethod, onStateChange: OnStateChange): Promise<MessengerSession>;
  /**
   * Starts telling what members do, in batches, until the returned function is called. A batch whose recording rejects is told
   * again, so recording must be idempotent.
   */
  watchMembers(record: RecordEvents): () => Promise<void>;
  /**
   * Unlinks an account whose user is gone and drops what is kept of it, a part at a time: true when there may be more, to be called
   * again. Nobody opens the account any more. Rejects when the messaging application cannot be asked; it is then tried again.
   */
  forget(accountId: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Resolves to the accounts whose events were not recorded, and are to be told again later, if there are any. */
export type RecordEvents = (events: MemberEvent[]) => Promise<ReadonlySet<number> | void>;

/** What a member did about a post, or who a member is. Any order, any repeats. */
export type MemberEvent =
  | {
      kind: 'delivered' | 'read' | 'reacted' | 'replied';
      accountId: number;
      messageId: string;
      /** Who: one id for one person, however often and under whatever alias the application names them. */
      participant: string;
      /** The id may prove to be another one's alias, which `same` then tells. */
      isProvisional?: boolean;
      /** It is about a part of the post, which may be all that has left: it counts, and does not prove the post sent. */
      isAboutPart?: boolean;
      at: Date;
    }
  | {
      /** Who was told of under a provisional id turns out to be this participant. Told before anything else of them is. */
      kind: 'same';
      accountId: number;
      participant: string;
      alias: string;
    }
  | {
      /** What a channel tells: sums, never persons. */
      kind: 'tally';
      accountId: number;
      messageId: string;
      views: number;
      reactions: number;
      at: Date;
    };
