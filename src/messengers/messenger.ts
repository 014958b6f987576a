/**
 * The port to a messaging application. The ledger decides what is sent, when and how often; a messenger sends it and reports the
 * result. Every implementation passes the same conformance suite.
 */
import type { ReadBytes } from '../content/media/boxes.ts';
import type { PostExtras } from '../content/post/post-extras.ts';
import type { StoredCard, StoredPicture } from '../content/post/stored-card.ts';
import type { ChangeWindow } from './windows.ts';
import type { AccountId, WorkspaceId } from '../platform/database/schema.ts';
import type { Failure } from '../platform/errors/failures.ts';

export interface MessengerAccount {
  accountId: AccountId;
  /** The only number that may be linked, in digits. Undefined if the user is deleted: the linked number is accepted. */
  phoneNumber: string | undefined;
  /** On the sandbox its accounts are members of the same simulated groups; on WhatsApp they decrypt votes on each other's posts. */
  workspaceId: WorkspaceId;
  /** The present or last pause. */
  pause?: KnownPause | undefined;
  /** The present warning. */
  warning?: Warning | undefined;
  /** Default is `false`. If this is true, its owner wants to try an ended link once more. */
  isRetry?: boolean;
}

/** Its workspace is undefined if the account is removed: it is opened to be unlinked alone. */
export type LinkedAccount = Omit<MessengerAccount, 'workspaceId'> & { workspaceId: WorkspaceId | undefined };

export type PauseCause =
  /** The application limits the rate. */
  | 'rate_limited'
  /** The application has restricted the account. */
  | 'restricted'
  /** The application has rejected posts to several chats in a row. */
  | 'refused'
  /** Another program uses the same link. */
  | 'used_elsewhere'
  /** The application has banned the account temporarily. */
  | 'banned';

/** A pause that some process has reported. */
export interface KnownPause {
  cause: PauseCause;
  reason: string;
  /** The rest of it in milliseconds; 0 if it is over. */
  leftMs: number;
  /** Its number among pauses in a row. */
  times: number;
}

/** The application restricts the account in a way that does not concern posts. They go on, more slowly. */
export interface Warning {
  /** A sentence for the account's user. */
  reason: string;
  /** The rest of it in milliseconds. */
  leftMs: number;
}

/** The text and file of a post, the same for every group of a run unless it has fields. */
export interface Post {
  /** In the messaging application's own formatting, 65,536 UTF-16 units at most. */
  text: string;
  /** Its file, or the first of several. */
  media: PostMedia | null;
  /** The files after the first. Pictures and films are an album where the application has albums. Default is none. */
  further?: readonly PostMedia[];
  /** Default is none. */
  extras?: PostExtras;
  /** Of a link in the text. Default is none. */
  card?: PostCard | undefined;
}

/** The card that members see with a link, the same in every group and every attempt. */
export interface PostCard extends Pick<StoredCard, 'url' | 'title' | 'description'> {
  /** A JPEG. */
  picture: (PostMedia & Pick<StoredPicture, 'width' | 'height'>) | null;
}

export interface PostMedia {
  mime: string;
  size: number;
  /** Of the bytes. */
  sha256: Buffer;
  /** The name that receivers see. */
  fileName: string;
  /** Of its own. Default: the text of the post for the first file, none for the others. */
  caption?: string | undefined;
  /** Of a film that tells its size. */
  movie?: { width: number; height: number; seconds: number | null } | undefined;
  /** A picture of a film: a JPEG of some 10 KiB. */
  still?: Buffer | undefined;
  /**
   * Reads the bytes, once for a run and not for each group. To be used for pictures: other files may be too large. Rejects when the
   * database cannot be asked: nothing has left by then, so the results are `offline`, and not `unknown`.
   */
  load(): Promise<Buffer>;
  /** Reads the bytes piece by piece. Throws when the file was deleted meanwhile. */
  pieces(): AsyncIterable<Buffer>;
  /** Reads up to `length` bytes from `from` on; fewer only at the end of the file, or if it was deleted. */
  read: ReadBytes;
}

/** The files of a post, in their order. */
export function filesOf({ media, further = [] }: Post): PostMedia[] {
  return media ? [media, ...further] : [];
}

export interface Destination {
  /** The chat to write to: `<digits>@g.us` or `<digits>@newsletter`. */
  chatId: string;
  /** Fixed before the first attempt, and the same in each. */
  messageId: string;
  /**
   * An earlier attempt may have left. If the application drops repeated ids, the message is simply sent again. If not, the messenger
   * searches for the message first (`sendUnlessThere`), and does not send it again by itself.
   */
  uncertain: boolean;
  /** The user wants an uncertain message to be sent again if it is not found. */
  resend: boolean;
  /** Default is `false`. If this is true, everybody in the chat is mentioned, and the text shows it (`withMentionAll`). */
  mentionAll?: boolean;
  /** An earlier post to this chat that this one quotes. Default is none. */
  quote?: QuotedPost;
}

/** A post of this account that another post quotes, as it was sent. */
export interface QuotedPost {
  messageId: string;
  /** In the messaging application's own formatting. */
  text: string;
  /** Of its file; null: it has none. */
  mime: string | null;
  fileName: string;
}

/** The result of one attempt. Nothing is guessed: `unknown` is a result, too. */
export type SendResult =
  | {
      kind: 'sent';
      /** The present participants other than the sender. Null: not known; the group's last known number counts. */
      recipients: number | null;
      /** Why the post left without the mention of everybody. Absent: it has it, or was to have none. */
      mentionLeftOut?: Failure;
      /** The number of members whom the post left out, because the application tells no device of theirs. Default is 0. */
      withoutDevices?: number;
    }
  /** This attempt surely did not leave. If a part of the post is there, the result is `unknown`, or has the code `outcome_unknown`. */
  | (Failure & {
      kind: 'refused';
      /** Another attempt cannot help. */
      final: boolean;
      /**
       * Default is `false`. If this is true, the account may not post in this chat: it is not a member, or no admin. Another account may
       * be allowed to. Never true if the application did not take the post itself, or an earlier query about something else failed.
       */
      isAccessDenied?: boolean;
    })
  | (Failure & { kind: 'unknown' })
  /** It cannot leave yet; other posts of the account can. Uses up no attempt. */
  | (Failure & { kind: 'later'; waitMs: number })
  | { kind: 'offline'; reason: string; /** The cool-down of the account. */ cooldownMs: number };

export type GroupKind = 'group' | 'community' | 'channel';

/** A chat the account can see, as the messaging application describes it. */
export interface MessengerGroup {
  chatId: string;
  /** The chat for posts: the announcement group of a community, else the chat itself. */
  sendTo: string;
  kind: GroupKind;
  name: string;
  /** Members with the account itself, or followers of a channel. */
  participants: number;
  inviteLink: string | null;
  canSend: boolean;
  /** Whether the account is an admin of it. Undefined: not known. */
  isAdmin?: boolean | undefined;
  createdAt: Date;
}

/** Why somebody could not be added to a new group. `privacy`: they decide who may add them, or have blocked the account. */
export type NotAddedReason = 'privacy' | 'not_on_whatsapp' | 'left_recently' | 'other';

export interface NotAdded {
  /** Digits. */
  number: string;
  reason: NotAddedReason;
}

export interface NewCommunity {
  name: string;
  description: string;
  /** With a group in which all members can write. Default is `false`. */
  hasGeneralChat?: boolean;
  /** Members who are no admins can add groups to it. Default is `false`. */
  membersMayAddGroups?: boolean;
}

export interface CreatedGroup extends MessengerGroup {
  /** Default is none. */
  notAdded?: NotAdded[];
}

/** The chats the account can see. */
export interface ChatList {
  chats: MessengerGroup[];
  /** The channels could not be read: known channels that are not among `chats` are unchanged, and not gone. Default is `false`. */
  areChannelsUnread?: boolean;
}

/** A post that has left, or may have. */
export interface SentPost {
  chatId: string;
  messageId: string;
  /**
   * Another account of the workspace that sent it, and may be removed since: it is changed by an admin of the group. Default is this account.
   */
  sentBy?: AccountId | null;
}

/**
 * Deletes a post for everyone, replaces its text by that of `post`, whose media is the one that was sent, pins it in its chat for so many
 * seconds from now on, or unpins it. A post of another account is not corrected. `post` of a recall is what another account has sent.
 */
export type PostChange =
  | { kind: 'recall'; post?: Post }
  | { kind: 'correct'; post: Post }
  | { kind: 'pin'; seconds: number }
  | { kind: 'unpin' };

/** The result of one attempt to change a post. */
export type RevisionResult =
  | { kind: 'done' }
  /** There is no such post. */
  | (Failure & { kind: 'absent' })
  | (Failure & {
      kind: 'refused';
      /** Another attempt cannot help. */
      final: boolean;
      /** As of a send: another account may be allowed to. */
      isAccessDenied?: boolean;
    })
  /** It is attempted again: repeating a change is idempotent. */
  | (Failure & { kind: 'unknown' })
  | { kind: 'offline'; reason: string; /** The cool-down of the account. */ cooldownMs: number };

/**
 * What a messaging application, or the admins of its chats, do to an account. `demote`: it is no admin any more, and only admins post.
 * `restore` ends what was done before.
 */
export interface Incident {
  action: 'ban' | 'demote' | 'remove' | 'restore';
  /** Default is all chats, and for `restore` the ban, too. A ban has none. */
  chatId?: string | undefined;
}

export type LinkMethod = 'qr' | 'pairing_code';

/** What a user without a code has to do: show the passkey of the number on WhatsApp's page, then compare characters. */
export interface PasskeyStep {
  /** The JSON form of a browser's `PublicKeyCredentialRequestOptions`. Null once an assertion was accepted. */
  requestOptions: { readonly [option: string]: unknown } | null;
  /** Eight characters. The phone shows the same if it asks to compare them. Null: there are none yet. */
  verificationCode: string | null;
}

/** The JSON form of a browser's `PublicKeyCredential` with an assertion; bytes are base64url. */
export interface PasskeyAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null | undefined;
  };
}

/** The state of an account at the messaging application. `reason` is a sentence for its user. */
export type SessionState = LinkState & { warning?: Warning | undefined };

type LinkState =
  /** Waits for the user's phone. A new code replaces this one before it expires in `goodForMs`. */
  | { status: 'linking'; method: LinkMethod; code: string; passkey?: undefined; goodForMs: number }
  /** A phone has agreed, and its passkey has to be shown within `goodForMs`. */
  | { status: 'linking'; method: LinkMethod; code?: undefined; passkey: PasskeyStep; goodForMs: number }
  /** `phoneNumber` is that of the linked phone, in digits; undefined if no phone was needed. */
  | {
      status: 'connected';
      phoneNumber?: string | undefined;
      /** Given once, when a phone has agreed to a new link: nothing is to be sent for so many milliseconds. */
      newLink?: { restMs: number } | undefined;
    }
  /** There is no connection, or none yet. It is made again by itself. */
  | { status: 'reconnecting'; reason: string }
  /** The application asked for a cool-down. It ends by itself after `cooldownMs`. */
  | ({ status: 'paused'; cooldownMs: number } & Pick<KnownPause, 'cause' | 'reason' | 'times'>)
  /** The link was ended at the application. Its credentials are kept for `retryForMs`; undefined: they are deleted. */
  | { status: 'logged_out'; reason: string; retryForMs?: number | undefined }
  /** `rejectedNumber` is the number of a phone that tried to link and is not the account's, in digits. */
  | {
      status: 'unlinked';
      reason: string | null;
      rejectedNumber?: string | undefined;
      /** If this is true, no credentials of an ended link are kept any more. */
      isDiscarded?: boolean;
    };

/** Called with each change of the state, in order. Never throws. */
export type OnStateChange = (state: SessionState) => void;

/** The live connection of one account. At most one exists, at the holder of the account's lease. */
export interface MessengerSession {
  /**
   * Sends the post to each destination, in order. Resolves to one result for each, in the same order.
   *
   * Fencing: `mayGoOn` says whether the account still belongs to this worker, and is called right before anything leaves. Once it is
   * false, the remaining results are `offline`: another worker sends these posts by then.
   */
  send(post: Post, to: readonly Destination[], mayGoOn: () => boolean): Promise<SendResult[]>;
  /**
   * Changes posts in order; one result for each. Idempotent: a repeated change is `done`. Undefined if the application cannot; then each
   * change is refused as final. `mayGoOn` is that of `send`.
   */
  revise?(change: PostChange, posts: readonly SentPost[], mayGoOn: () => boolean): Promise<RevisionResult[]>;
  /** `knownChannels` are the chat ids of channels that were listed or created before. */
  listGroups(knownChannels: readonly string[]): Promise<ChatList>;
  /** `participants` are phone numbers in digits. Throws an AppError when the application rejects the request. */
  createGroup(group: { name: string; participants: readonly string[] }): Promise<CreatedGroup>;
  createCommunity(community: NewCommunity): Promise<MessengerGroup>;
  createChannel(channel: { name: string; description: string; picture: Buffer | null }): Promise<MessengerGroup>;
  /**
   * The link to join a group, community or channel. Null if the application has none. Throws an AppError when it rejects the request,
   * for instance because the account is no admin.
   */
  fetchInviteLink(chatId: string): Promise<string | null>;
  /**
   * Shows the passkey that the application asks for. Undefined if it never asks, or the account was linked before. Resolves when the
   * application has accepted the assertion. Throws an AppError: `passkey_not_requested`, `assertion_rejected` (another may follow), or
   * `messenger_unreachable`.
   */
  submitPasskey?(assertion: PasskeyAssertion): Promise<void>;
  /**
   * Ends the link and deletes the credentials. False if the application could not be reached, so that the user has to remove the link
   * there. Throws an AppError (`messenger_unavailable` or `messenger_unreachable`) when the application did not confirm.
   */
  unlink(): Promise<boolean>;
  /** Resolves when the session was closed or has ended by itself. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** The capabilities of a messaging application, known in every process. Callers decide by them, and never by `name`. */
export interface MessengerCapabilities {
  readonly name: string;
  /** Default is `false`. If this is true, its sessions stay open all the time, and not only during sends. */
  readonly staysOpen?: boolean;
  /**
   * Default is `false`. If this is true, no phone has to agree to a link: a new account is connected from the start, and can change to
   * another messenger without ending its link first.
   */
  readonly linksAtOnce?: boolean;
  /**
   * Default is `false`. If this is true, each post of a turn leaves when the one before was answered, and `mayGoOn` is called before
   * each. A turn is then one delivery, also without a gap.
   */
  readonly sendsOneByOne?: boolean;
  /** Default is no limit. Older posts are not recalled or corrected, without a query to the application. */
  readonly changeWindows?: Readonly<Record<'recall' | 'correct', ChangeWindow>>;
}

/** By name. */
export type MessengersCapabilities = ReadonlyMap<string, MessengerCapabilities>;

export interface Messenger extends MessengerCapabilities {
  /**
   * Opens the session of a linked account, which connects and reconnects by itself and reports its state. Undefined if the account
   * turns out not to be linked, which is reported, too.
   */
  open(account: MessengerAccount, onStateChange: OnStateChange): Promise<MessengerSession | undefined>;
  /**
   * Begins to link an account. Resolves when a code was reported, or that the account is connected. Throws an AppError
   * (`messenger_unavailable` or `messenger_unreachable`) when there is no code.
   */
  link(account: MessengerAccount, method: LinkMethod, onStateChange: OnStateChange): Promise<MessengerSession>;
  /** Deletes the credentials of an ended link. Undefined if the messenger keeps none. */
  discardLink?(accountId: AccountId): Promise<void>;
  /**
   * Lets something befall an account, for tests. Returns how the account stands afterwards. Undefined where the application is a
   * real one.
   */
  simulate?(account: MessengerAccount, incident: Incident): Promise<SessionState>;
  /**
   * At-least-once delivery: passes member events to `record`, in batches, until the returned function is called. A batch is repeated
   * when `record` throws, so `record` must be idempotent.
   */
  watchMembers(record: RecordEvents): () => Promise<void>;
  /**
   * Unlinks the account of a deleted user and deletes some of its data. True if there may be more: call it again. Throws when the
   * application cannot be reached: call it later.
   */
  forget(accountId: AccountId): Promise<boolean>;
  close(): Promise<void>;
}

/** Resolves to the accounts whose events were not recorded and are to be emitted again. */
export type RecordEvents = (events: MemberEvent[]) => Promise<ReadonlySet<number> | void>;

/** The characters of a reply that an event has. */
export const REMARK_LIMIT = 2_000;

/** An action of a member, a member's second id, or a change of chats. Events come in any order, and may be repeated. */
export type MemberEvent =
  | {
      /** A vote on a poll, or an answer to an event. */
      kind: 'voted';
      accountId: AccountId;
      messageId: string;
      /** As of the other actions. */
      participant: string;
      isProvisional?: boolean;
      /** Who it is: the digits of a phone number if it is known. Default is `participant`. */
      voter?: string;
      /**
       * The SHA-256 of the text of each chosen option, as hex; of an event the text is one of `EVENT_ANSWERS`. Empty: the vote is taken
       * back. Null: it could not be opened.
       */
      choices: readonly string[] | null;
      /** By the voter's own clock, in milliseconds since 1970: the newest vote of a member counts. */
      votedMs: number;
      /** When the application received it, which decides whether the poll was open. */
      at: Date;
    }
  | {
      kind: 'delivered' | 'read' | 'reacted' | 'replied';
      accountId: AccountId;
      messageId: string;
      /** One id for each person, under any alias of theirs. */
      participant: string;
      /** The id may prove to be an alias, which a later `same` reports. */
      isProvisional?: boolean;
      /** It is about one part of the post, and does not prove that the whole post was sent. */
      isAboutPart?: boolean;
      at: Date;
    }
  | {
      /** A 👍 or a reply with a text, by a member or by the account's own phone. It matters for review posts alone. */
      kind: 'answered';
      accountId: AccountId;
      /** Of the post; several if only the id of one of its messages is known. */
      messageIds: readonly string[];
      /** As of the other actions. */
      participant: string;
      /** The digits of their phone number. Undefined: not known; a later `same` may report it. */
      number?: string | undefined;
      /** The first 2,000 characters of a reply. Null: a 👍. */
      remark: string | null;
      at: Date;
    }
  | {
      /** A provisional id turns out to be an alias of this participant. Precedes other events of theirs. */
      kind: 'same';
      accountId: AccountId;
      participant: string;
      alias: string;
    }
  | {
      /** The list of the account's chats has changed: a chat has come or gone, or its name, its members or the right to post there has changed. */
      kind: 'chats_changed';
      accountId: AccountId;
    }
  | {
      /** Sums of a channel, without persons. */
      kind: 'tally';
      accountId: AccountId;
      messageId: string;
      /** Null: the application does not tell. */
      views: number | null;
      reactions: number;
      at: Date;
    };
