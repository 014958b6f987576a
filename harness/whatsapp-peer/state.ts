import type { KeyPair, proto } from 'baileys';
import type { Connection } from './connection.ts';
import type { MediaHost, Upload, UploadKind } from './media-host.ts';
import type { CertificateAuthority } from './noise.ts';
import type { ShownCard } from './read-card.ts';
import type { ShownMedia } from './read-media.ts';
import type { Stanza } from './stanza.ts';
import type { Group, Person, World } from './world.ts';

/** How the peer handles a post. */
export type Verdict =
  | 'accept'
  /** Members see the post, and the sender gets no acknowledgement. */
  | 'lose the answer'
  /** Members see the post, and the connection breaks before the acknowledgement. */
  | 'cut after'
  /** The connection breaks and nobody sees the post. */
  | 'cut before'
  /** With an error code nobody sees the post. The acknowledgement may wait. */
  | { refuse?: number | undefined; answerAfter?: Promise<unknown> };

/** The attributes of a refused login. */
export interface Refusal {
  reason: string;
  /** Reason and duration in seconds of a temporary ban. */
  code?: string;
  expire?: string;
}
/** The answer to a query for the keys of a device. */
export type KeysOfDevice =
  | 'given'
  /** The answer contains no keys. */
  | 'none'
  /** The answer contains a prekey that somebody else has signed. */
  | 'forged'
  /** The answer contains an error code instead. */
  | { error: number }
  /** The whole query is rejected, for all other devices, too. */
  | { refuseAll: number };

type QueryVerdict = number | 'silence' | 'lose the answer' | undefined;

/** Deviations of the peer from the normal behaviour of WhatsApp. Tests change them. */
export interface Script {
  /** Called for every post. */
  judge: (post: { chatId: string; messageId: string; stanza: Stanza }) => Verdict | Promise<Verdict>;
  /** Called for every acknowledgement of a post in a group: replaces its `phash`, or its `addressing_mode`. */
  ackOf: (group: Group) => Record<string, string>;
  /** Called for every query; a number rejects it with that code. `silence`: it is lost. `lose the answer`: it takes effect. */
  refuseQuery: (query: {
    namespace: string;
    to: string;
    action: string;
    queryId: string;
    /** The chat it is about, if any. */
    chatId: string;
    /** The users it is about, if there are several. */
    users: readonly string[];
  }) => QueryVerdict | Promise<QueryVerdict>;
  /** Called for every person in a query for devices: their list may be empty or missing in the answer, or they may. */
  devicesOf: (jid: string) => 'given' | 'empty' | 'missing' | 'nobody';
  /** Called for every person in a query by number: whether the answer leaves out their LID. */
  hidesLidOf: (jid: string) => boolean;
  /** Called for every person with a list of devices: whether it names a device that WhatsApp hosts for a company. */
  hasHostedDevice: (jid: string) => boolean;
  /** Called for every person that a new group is to have, with the privacy token; a number is the error, `left out` says nothing. */
  refuseMember: (person: Person, token: Buffer) => number | 'left out' | undefined;
  /** Called for every device in a query for keys. A device without keys in the answer cannot read anything. */
  keysOf: (jid: string) => KeysOfDevice;
  /** Called for every file; a number rejects it with that status, `cut` breaks the connection. */
  refuseUpload: (upload: {
    place?: Upload['place'];
    kind?: UploadKind;
    size: number;
  }) => number | 'cut' | undefined | Promise<number | 'cut' | undefined>;
  /** Answers about channels contain no picture, as WhatsApp's do for a while. */
  hidesPictures: boolean;
  /** The query ids for creating, reading and listing channels. */
  queryIds: Record<'create' | 'read' | 'list', string>;
  /** Called for every query in JSON: `null` in place of data, another answer, or an error code; undefined: the usual answer. */
  answerMex: (queryId: string) => 'null' | Stanza[] | number | undefined;
  /** Called for every query for the posts of a channel; undefined: the usual answer. */
  answerPosts: () => Stanza[] | undefined;
  /** A query for only the counts of posts in a channel returns none. */
  tellsNoCounts: boolean;
  /** The kinds of answers about posts in channels, `messages` or `message_updates`, that have no counts of views. */
  hidesViews: readonly string[];
  /** Whether the creator of a group is listed by LID alone. */
  hidesCreator: boolean;
  /** Maximum number of members per group in the list of all groups; a query for one group returns all. */
  listsMembersUpTo: number;
  /** Called for every connection request; a number is the status of the answer, `silence` means no answer. */
  refuseUpgrade: () => number | 'silence' | undefined;
  /** Rejects every login with this reason: 403, 405, 503, or with these attributes. */
  refuseLogin: number | Refusal | undefined;
  /** Called for each login; true: it is never answered. */
  ignoresLogin: () => boolean;
  /** Returns whether a client is new enough, by the last number of its version; others are rejected with 405. */
  takesClient: (revision: number) => boolean;
  /** What each client is told at its login: until when its version is taken, Unix time; undefined: nothing. */
  clientExpiration: string | undefined;
  /** False: every connection is cut immediately, as without a network. */
  isReachable: boolean;
  /** Number of QR codes for a new device. */
  codes: number;
  /** The connection of a new device breaks before it receives the pairing, before it signs it, or after. */
  cutPairing: 'before it hears' | 'before it signs' | 'after it signs' | undefined;
  /** Asks a new device for the passkey of its number, while the phone waits. */
  asksForPasskey: boolean;
  /** A phone on which a code was entered gives no key: only the passkey that WhatsApp asks for then links the device. */
  withholdsCodeKey: boolean;
  /** How long a device may take to show the passkey, in milliseconds. */
  passkeyMs: number;
  /** Whether the device has to prove that the phone has read its code, or must not claim it any more. */
  passkeyProof: 'required' | 'absent';
  /** The request for a passkey comes without its options, which the device has to query. */
  withholdsPasskeyOptions: boolean;
  /** The phone waits until its owner has compared the characters. */
  phoneComparesCodes: boolean;
  /** The phone never continues after the passkey was shown. */
  losesPasskeyContinuation: boolean;
  /** Revokes the secret of the first scanned code; the phone asks its owner to try again. */
  withdrawsSecrets: boolean;
  /** Presents recorded certificates of another server, as a machine in the middle could. */
  showsOthersCertificate: boolean;
  /** Signs the pairing of a new device with a key that is not the phone's, or seals it with another secret than the code's. */
  forgesPairing: 'signature' | 'hmac' | undefined;
  /** The end of the account's restriction, if queried; undefined: it is not restricted. */
  restrictedUntil: Date | undefined;
  /** Phones send retry receipts for messages that they cannot decrypt. */
  phonesAskAgain: boolean;
}

/** A post as one device shows it to its owner. */
export interface Arrival {
  chatId: string;
  messageId: string;
  /** The device, or the channel itself. */
  device: string;
  /** The device that sent it; undefined in a channel. */
  from?: string;
  /** Its text; the caption of a file. */
  text: string;
  media: ShownMedia | undefined;
  card: ShownCard | undefined;
  message: proto.Message;
}

/** A stanza goes to a whole group, or to one device in it. */
export interface HandedOut {
  messageId: string;
  devices: readonly string[];
}

/** The shared state of all parts of the peer. */
export interface PeerState {
  world: World;
  script: Script;
  authority: CertificateAuthority;
  serverKey: KeyPair;
  connections: Set<Connection>;
  arrivals: Arrival[];
  /** Every received post, including repeated and rejected ones. */
  received: Stanza[];
  /** Stanzas delivered in groups, with their devices, oldest first. */
  handedOut: HandedOut[];
  /** Number of retry receipts, by device and message. */
  askedAgain: Map<string, number>;
  mediaHost: MediaHost;
  /** Accepted files, oldest first. */
  uploads: Upload[];
  /** Decrypted files, by location and key. */
  decrypted: Map<string, Buffer>;
  /** By message: the secret that encrypts reactions to it, in hex; empty if it has none. */
  secrets: Map<string, string>;
  /** Queries that the peer cannot answer: a gap in the peer. */
  unanswered: Stanza[];
  /** Errors within the peer, and messages that WhatsApp would reject. */
  defects: unknown[];
  /** The version of each client that has logged in or tried to link, oldest first. */
  logins: string[];
  /** Returns ids for what the peer sends. */
  nextId(): string;
}
