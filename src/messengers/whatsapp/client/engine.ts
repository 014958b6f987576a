/**
 * A client library for WhatsApp, as the adapter uses it. This file, and the files that it imports, name no type of the library: another
 * one that passes `test/support/engine-contract.ts` could take its place. `create-engine.ts` chooses the library.
 */
import type { Agent } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Log } from '../../../platform/log/log.ts';
import type { Client, LidMapping } from './client.ts';
import type { CloseReason } from './errors.ts';
import type { KeyStorage, KeyValueStore } from './key-storage.ts';

export interface Engine {
  /** Applies from now on to all connections of the process: keeps secrets out of its output, and checks signatures by these rules. */
  prepare(log: Log, rules: SignatureRules): void;
  /** New credentials; nothing is stored until `save`. */
  newCredentials(storage: KeyStorage): Credentials;
  /** The stored credentials; undefined when the account is not linked. */
  loadCredentials(storage: KeyStorage): Promise<Credentials | undefined>;
}

export interface SignatureRules {
  /** The key that signs the certificates of the server, 32 bytes. Undefined: WhatsApp's. */
  rootKey: Buffer | undefined;
  /** If true, an invalid signature is rejected. If false, it is only reported. */
  isEnforced: boolean;
  onDoubt(doubt: SignatureDoubt): void;
}

/** The signature that is invalid: of the server's certificate, or of the phone that links the account. */
export type SignatureDoubt = 'certificate' | 'account_signature';

/** The credentials of an account: its identity, and the keys and sessions of its encryption. */
export interface Credentials {
  /** Records of the adapter, stored and deleted with the credentials. */
  store: KeyValueStore;
  /** Stores the identity as it is now. */
  save(): Promise<void>;
  /** True once a phone has signed the identity. */
  isLinked(): boolean;
  /** The number of the phone that has agreed or is about to, in digits. */
  phoneNumber(): string | undefined;
  /** Opens a connection: logs in if the account is linked, otherwise shows codes that link it. It ends or has an outcome in time. */
  openSocket(options: SocketOptions): Socket;
}

/** One connection to WhatsApp, from its opening to its end. */
export interface Socket {
  client: Client;
  /** Undefined: the account is linked. */
  passkey: PasskeyLink | undefined;
  /** Resolves when it is logged in; never when it ends before. */
  opened: Promise<void>;
  /** Resolves when it has ended; never rejects. */
  ended: Promise<CloseReason>;
  end(): void;
}

export type ClientVersion = [number, number, number];

export interface SocketOptions {
  /** Undefined: WhatsApp's own. */
  url: string | undefined;
  /** Undefined: WhatsApp is reached directly. */
  proxy: { agent: Agent; dispatcher: Dispatcher } | undefined;
  version: ClientVersion;
  /** After so many milliseconds without a login, a code to show, or an end, the connection is ended. */
  outcomeMs: number;
  /** How long the answer to a query may take, in milliseconds. */
  queryMs: number;
  /** How long each QR code is shown, in milliseconds. Undefined: as long as WhatsApp accepts it. */
  qrMs: number | undefined;
  log: Log;
  /** In milliseconds since 1970, by the clock that all processes share. */
  now(): Promise<number>;
  /** The credentials have changed. */
  onCredentials(): void;
  /** A QR code for a phone to scan. */
  onQr(qr: string, goodForMs: number): void;
  /** The last QR code has expired. */
  onLastQr(): void;
  /** How long a phone trusts the secret in the code that it has read, in milliseconds. */
  handoffMs: number;
  /** Undefined: the account is linked. */
  passkey: PasskeyListener | undefined;
  /** WhatsApp restricts the account, or lifts a restriction. */
  onRestriction(restriction: Restriction): void;
  /** WhatsApp has not answered a query in time. */
  onUnanswered(): void;
  /** Awaited before new pairs are stored. */
  onLidMappings(pairs: LidMapping[]): Promise<void>;
  /** Backpressure: WhatsApp's queue is not drained while it resolves to false. */
  canRecord(): Promise<boolean>;
  /** Called before anything arrives from WhatsApp. */
  onClient(client: Client): void;
}

export interface Restriction {
  isActive: boolean;
  /** Undefined: WhatsApp did not say. */
  endsAt: Date | undefined;
}

/** How long WhatsApp accepts the first QR code and each of the five that follow it, in milliseconds. */
export const FIRST_QR_MS = 60_000;
export const NEXT_QR_MS = 20_000;

/** The JSON form of a browser's `PublicKeyCredentialRequestOptions`. */
export interface PasskeyOptions {
  challenge: string;
  [option: string]: unknown;
}

/** What happens after a phone has agreed. */
export interface PasskeyListener {
  onRequest(options: PasskeyOptions): void;
  /** Eight characters that the phone shows, too, if it asks its owner to compare them. */
  onVerificationCode(code: string): void;
  /** The link cannot be completed any more. */
  onFailure(error: unknown): void;
}

export interface PasskeyLink {
  /**
   * Sends the answer of the passkey: its id, and the assertion as JSON. Throws QueryRejectedError when WhatsApp rejects it, and NoAnswerError
   * when it is unknown whether it has.
   */
  submit(assertion: { credentialId: Uint8Array; json: string }): Promise<void>;
  /** Resolves to a new challenge. Throws as `submit` does. */
  fetchOptions(): Promise<PasskeyOptions>;
}
