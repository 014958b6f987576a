/** What is said between the witness and those who use it: one JSON object a line, questions numbered by whoever asks. */

/** How the witness treats what arrives. All chances are between 0 and 1; what is left out does not happen. */
export interface Behaviour {
  /** Time until a post is judged, at random between the two. */
  delayMs?: readonly [min: number, max: number];
  /** Refused for a passing reason. */
  refuse?: number;
  /** Refused for good: so is every later try in that chat with that post. */
  refuseForGood?: number;
  /** Accepted, and the caller hears nothing. */
  loseAck?: number;
  /** Neither accepted nor answered. */
  vanish?: number;
  /** Accepted, and the connection breaks, with all that is under way on it. */
  breakOff?: number;
  /** So long after a post was accepted a member has received it; left out: nobody ever tells. */
  receiptMs?: number;
}

export interface PostArrival {
  accountId: number;
  chatId: string;
  messageId: string;
  text: string;
  uncertain: boolean;
  /** The process that sends. */
  pid: number;
}

export interface Chat {
  accountId: number;
  chatId: string;
  kind: 'group' | 'community' | 'channel';
  name: string;
}

export interface Receipt {
  accountId: number;
  messageId: string;
  atMs: number;
}

export type Question =
  | ({ op: 'send' } & PostArrival)
  | ({ op: 'create' } & Omit<Chat, 'chatId'>)
  | { op: 'list'; accountId: number }
  | { op: 'receipts' }
  | { op: 'recorded'; upTo: number }
  | { op: 'under way' }
  | { op: 'behave'; behaviour: Behaviour };

/** What each question is answered with. */
export interface Answers {
  send: { kind: 'sent' } | { kind: 'refused'; final: boolean };
  create: Chat;
  list: Chat[];
  /** Those nobody has recorded yet, and the number to say when they are. `waiting`: how many are still to come. */
  receipts: { receipts: Receipt[]; upTo: number; waiting: number };
  recorded: null;
  /** The accounts whose posts have arrived and are not judged yet. */
  'under way': number[];
  behave: null;
}

export type Verdict = 'accepted' | 'copy' | 'refused' | 'refused for good' | 'vanished';

/** A post as the witness's log keeps it. Times are epoch milliseconds of a clock that never goes back. */
export interface Entry extends PostArrival {
  /** Counts arrivals. */
  arrival: number;
  arrivedMs: number;
  /** When it was judged; no answer leaves before. */
  judgedMs: number;
  verdict: Verdict;
}
