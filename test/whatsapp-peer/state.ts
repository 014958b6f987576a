import type { KeyPair, proto } from 'baileys';
import type { Connection } from './connection.ts';
import type { MediaHost, MediaKind, Upload } from './media-host.ts';
import type { CertificateAuthority } from './noise.ts';
import type { ShownMedia } from './read-media.ts';
import type { Stanza } from './stanza.ts';
import type { World } from './world.ts';

/** What becomes of a post that reaches the peer. */
export type Verdict =
  | 'accept'
  /** It is shown to all, and the sender hears nothing. */
  | 'lose the answer'
  /** It is shown to all, and the connection breaks before the answer. */
  | 'cut after'
  /** The connection breaks and nobody sees it. */
  | 'cut before'
  | { refuse: number };

/** The attributes of a refused login. */
export interface Refusal {
  reason: string;
  /** Of a temporary ban: why, and for how many seconds. */
  code?: string;
  expire?: string;
}
/** What is answered to who wants the keys of a device. */
export type KeysOfDevice =
  | 'given'
  /** There is nothing in the answer. */
  | 'none'
  /** A code stands in their place. */
  | { error: number }
  /** The whole query is refused, whoever else it is about. */
  | { refuseAll: number };

/** What the peer does other than what WhatsApp does on a good day. A test changes it as it likes. */
export interface Script {
  /** Asked about every post. */
  judge: (post: { chatId: string; messageId: string; stanza: Stanza }) => Verdict | Promise<Verdict>;
  /** Asked about every query; a number refuses it with that code. */
  refuseQuery: (query: {
    namespace: string;
    to: string;
    action: string;
    queryId: string;
    /** What it is about, where that is a chat. */
    chatId: string;
    /** Whom it is about, where it is about several. */
    users: readonly string[];
  }) => number | undefined | Promise<number | undefined>;
  /** Asked about every device that somebody wants the keys of. One whose keys are not given is lost, and reads nothing. */
  keysOf: (jid: string) => KeysOfDevice;
  /** Asked about every file; a number refuses it with that status, `cut` hangs up. */
  refuseUpload: (upload: {
    place?: Upload['place'];
    kind?: MediaKind;
    size: number;
  }) => number | 'cut' | undefined | Promise<number | 'cut' | undefined>;
  /** Its answers about channels say that there is no picture, as WhatsApp's do for a while. */
  hidesPictures: boolean;
  /** Under which numbers channels are created, read and listed. */
  queryIds: Record<'create' | 'read' | 'list', string>;
  /** Asked for the counts of posts in a channel alone, it tells of none. */
  tellsNoCounts: boolean;
  /** A list of all groups shows so many members of each; asked about by itself, a group shows all. */
  listsMembersUpTo: number;
  /** Asked about every request for a connection; a number is the status it is answered with, `silence`: it is not answered. */
  refuseUpgrade: () => number | 'silence' | undefined;
  /** Refuses every login with this reason: 403, 405, 503, and what else is said of it. */
  refuseLogin: number | Refusal | undefined;
  /** Asked about each login; true: it is never answered. */
  ignoresLogin: () => boolean;
  /** Whether a client is new enough, by the last number of its version; others are refused with 405. */
  takesClient: (revision: number) => boolean;
  /** False: whoever connects is cut off at once, as when the network is away. */
  isReachable: boolean;
  /** How many codes a new device gets to show, one after the other. */
  codes: number;
  /** The connection of a new device breaks before it hears that a phone vouched for it, before it has signed that, or after. */
  cutPairing: 'before it hears' | 'before it signs' | 'after it signs' | undefined;
  /** A new device is asked for a passkey, as happens to some numbers, and the phone waits for that. */
  asksForPasskey: boolean;
  /** The secret of the first code that is scanned is withdrawn, and the phone tells its owner to try again. */
  withdrawsSecrets: boolean;
  /** It shows certificates that are another server's, as somebody in between could who has recorded them. */
  showsOthersCertificate: boolean;
  /** What links a new device is signed by another key than the phone's. */
  forgesPairing: boolean;
  /** What is said of how long the account is restricted, when asked; undefined: it is not. */
  restrictedUntil: Date | undefined;
  /** Phones ask again for what they cannot decrypt. */
  phonesAskAgain: boolean;
}

/** A post as one device shows it to its owner. */
export interface Arrival {
  chatId: string;
  messageId: string;
  /** The device, or the channel itself. */
  device: string;
  /** What it says; of a file its caption. */
  text: string;
  media: ShownMedia | undefined;
  message: proto.Message;
}

/** A stanza goes to a whole group, or to one device in it. */
export interface HandedOut {
  messageId: string;
  devices: readonly string[];
}

/** What all parts of the peer share. */
export interface PeerState {
  world: World;
  script: Script;
  authority: CertificateAuthority;
  serverKey: KeyPair;
  connections: Set<Connection>;
  arrivals: Arrival[];
  /** Every post as it came, repeats and refused ones too. */
  received: Stanza[];
  /** What was handed out in groups, and to which devices, oldest first. */
  handedOut: HandedOut[];
  /** By device and message, how often it has asked for it again. */
  askedAgain: Map<string, number>;
  mediaHost: MediaHost;
  /** Files, in the order in which they were taken. */
  uploads: Upload[];
  /** By where they are and their key: what phones have decrypted. */
  decrypted: Map<string, Buffer>;
  /** By message: what phones seal reactions to it with, in hex; empty: it has come without. */
  secrets: Map<string, string>;
  /** Queries that the peer has no answer for: a gap in the peer. */
  unanswered: Stanza[];
  /** What went wrong within the peer, or was sent in a way that WhatsApp would not take. */
  defects: unknown[];
  /** The version of each client that has said who it is, to log in or to be linked, oldest first. */
  logins: string[];
  /** For ids of what the peer sends. */
  nextId(): string;
}
