/** Shared by the steps that keep one account connected. */
import type { Log } from '../../../platform/log/log.ts';
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import type { LinkedAccount } from '../../messenger.ts';
import type { ReconnectTiming } from './reconnect-backoff.ts';
import type { ClientVersions } from './client-versions.ts';
import type { KeyTable } from './key-table.ts';
import type { Linking } from './link.ts';
import type { Cooldown } from './cooldown.ts';
import type { Credentials, Socket, SocketOptions } from '../client/engine.ts';

export interface ConnectionOptions {
  account: LinkedAccount;
  credentials: Credentials;
  table: KeyTable;
  log: Log;
  cooldown: Cooldown;
  /** Set when the account has to be linked first. */
  linking: Linking | undefined;
  /** Permits for connections that are being made. */
  connecting: FairSemaphore;
  timing: ConnectionTiming;
  versions: ClientVersions;
  /** A phone that was to be linked did not know the secret of the code. */
  onForgery(): void;
  /** The owner tries an ended link once more: if it has ended for good, the credentials are deleted. */
  isRetry: boolean;
  socket: Omit<SocketOptions, 'onCredentials' | 'onQr' | 'onLastQr' | 'passkey' | 'version'>;
  /** Aborted when the session is closed. */
  closing: AbortController;
}

/** In milliseconds. */
export interface ConnectionTiming extends ReconnectTiming {
  /** How long `unlink` waits for a connection. */
  leaveMs: number;
  /** How long a connection that is being made keeps its permit: without an answer it needs no CPU. */
  permitMs: number;
  /** How long a connection may take until it is logged in, has a code to show, or has ended. */
  outcomeMs: number;
  /** How long the answer to a query may take. */
  queryMs: number;
  /** How long nothing is to be sent after a new link. */
  restAfterLinkMs: number;
}

export interface ConnectionState extends ConnectionOptions {
  /** The connection that is logged in. */
  online: Socket | undefined;
  /** Resolves when the account is online. Replaced at the end of each connection. */
  whenOnline: PromiseWithResolvers<void>;
  /** Any stored credentials are those of this link. */
  isStored: boolean;
  /** Resolves when the credentials are stored; never rejects. */
  saving: Promise<void>;
  /** The link is being ended: no connection follows this one. */
  isLeaving: boolean;
  /** No connection is made any more. */
  isOver: boolean;
  /** A phone has agreed to a new link, and this was not reported yet. */
  isNewLink: boolean;
}
