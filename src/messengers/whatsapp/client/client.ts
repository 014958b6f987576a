/**
 * A connection to WhatsApp, as the adapter sees it. Nothing outside of this folder knows the library behind it: another one that
 * implements `Client` could take its place.
 */
import type { Jid } from './jid.ts';
import type { Message } from './message.ts';
import type { Node, StanzaPattern } from './node.ts';
import type { Signal } from './signal.ts';

export interface Client {
  /** The account's own ids. Undefined until a phone has agreed to link it. */
  readonly me: OwnIds | undefined;
  readonly isOpen: boolean;
  /** The private half of the link's Noise key, which never leaves the service. */
  readonly noiseKey: Uint8Array;
  readonly signal: Signal;
  readonly lids: LidMappings;
  /** The privacy token of the contact with these ids, if one is known. */
  findPrivacyToken(ids: readonly Jid[]): Promise<Uint8Array | undefined>;

  /**
   * Resolves to WhatsApp's answer. Throws QueryRejectedError for an error in place of one, and NoAnswerError when none comes within
   * `timeoutMs`. Default is the connection's own limit.
   */
  query(query: Query, timeoutMs?: number): Promise<Node>;
  /** Resolves when the node was handed to the connection, which says nothing about its arrival. */
  sendNode(node: Node): Promise<void>;
  /** Acknowledges a stanza: WhatsApp delivers unacknowledged ones again. */
  acknowledge(stanza: Node): Promise<void>;
  /** Listens for the `ack` of a message, from before the message leaves. Receipts have the same id. */
  awaitAck(messageId: string): PendingAck;
  createTag(): string;

  onStanza(pattern: StanzaPattern, listener: (stanza: Node) => void): void;
  /**
   * Receives the stanzas with this tag before the library and all earlier interceptors do, which receive a stanza when `pass` is
   * called. The library then acknowledges it.
   */
  interceptStanzas(tag: string, handle: (stanza: Node, pass: () => void) => void): void;
  /**
   * Calls `handle` within the transaction that decrypts a message, and before the message is acknowledged. If `handle` throws,
   * nothing is stored, and WhatsApp delivers the message again. A message that cannot be parsed is `{}`.
   */
  interceptMessages(handle: (stanza: Node, message: Message) => Promise<void>): void;

  /** Asks for a code to enter on the phone with this number (digits). Throws as `query` does, also when WhatsApp refuses to give one. */
  requestPairingCode(phoneNumber: string): Promise<string>;
  /** Asks whether the account is restricted; the answer arrives as a restriction. */
  requestRestriction(): Promise<void>;
}

export interface OwnIds {
  id: Jid;
  lid?: Jid | undefined;
}

/** An `iq` stanza. */
export interface Query {
  type: 'get' | 'set';
  xmlns: string;
  /** Default is WhatsApp's server. */
  to?: Jid;
  content: Node[];
}

export interface PendingAck {
  /** Resolves to the `ack`. Undefined when none arrives within `ms` from now, or the connection ends. It can be called again. */
  within(ms: number): Promise<Node | undefined>;
  stop(): void;
}

/** Pairs of a person's hidden number (LID) and phone number (PN), as far as the account has learned them. */
export interface LidMappings {
  /** By number; digits. */
  findLids(numbers: readonly string[]): Promise<Map<string, string>>;
  findNumber(lid: string): Promise<string | undefined>;
  store(pairs: readonly LidMapping[]): Promise<void>;
}

/** Digits. */
export interface LidMapping {
  lid: string;
  number: string;
}
