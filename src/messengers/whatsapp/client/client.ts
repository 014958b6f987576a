/**
 * A connection to WhatsApp, as the adapter sees it. Nothing outside of this folder knows the library behind it: another one that
 * implements `Client` could take its place.
 */
import type { Group } from './group.ts';
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
  findPrivacyToken(ids: readonly Jid[]): Uint8Array | undefined;

  /**
   * Resolves to WhatsApp's answer. Throws QueryRejectedError for an error in place of one, and NoAnswerError when none comes within
   * `timeoutMs`. Default is a minute.
   */
  query(query: Query, timeoutMs?: number): Promise<Node>;
  /** Resolves when the node was handed to the connection, which says nothing about its arrival. */
  sendNode(node: Node): Promise<void>;
  /** Acknowledges a stanza: WhatsApp delivers unacknowledged ones again. */
  acknowledge(stanza: Node): Promise<void>;
  /** Listens for the answer to a message, from before the message leaves. */
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
  /** Called with the groups of each list that arrives, and with what a change tells about a group. */
  onGroups(listener: (groups: ReadonlyArray<Partial<Group>>) => void): void;

  // Each of these throws as `query` does.
  fetchGroups(): Promise<Group[]>;
  fetchGroup(chatId: Jid): Promise<Group>;
  fetchLinkedGroups(communityId: Jid): Promise<Jid[]>;
  fetchInviteCode(chatId: Jid): Promise<string | undefined>;
  /** Asks for a code to enter on the phone with this number (digits). */
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
  /** Resolves to the answer. Undefined when none arrives within `ms` from now, or the connection ends. */
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
