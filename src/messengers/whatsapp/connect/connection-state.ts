/** What the steps share that keep one account connected. */
import type { Log } from '../../../platform/log/log.ts';
import type { FairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import type { MessengerAccount } from '../../messenger.ts';
import type { BackOffTiming } from './back-off.ts';
import type { ClientVersions } from './client-versions.ts';
import type { Credentials } from '../client/credentials.ts';
import type { KeyTable } from './key-table.ts';
import type { Linking } from './link.ts';
import type { Cooldown } from './cooldown.ts';
import type { Socket, SocketOptions } from '../client/open-socket.ts';

export interface ConnectionOptions {
  account: MessengerAccount;
  credentials: Credentials;
  table: KeyTable;
  log: Log;
  cooldown: Cooldown;
  /** Set when the account has to be linked first. */
  linking: Linking | undefined;
  /** Places for connections that are being made. */
  connecting: FairSemaphore;
  timing: ConnectionTiming;
  versions: ClientVersions;
  socket: Omit<SocketOptions, 'credentials' | 'onCredentials' | 'onQr' | 'onPasskey' | 'version'>;
  /** Aborted when the account is to be left alone. */
  closing: AbortController;
}

/** In milliseconds. */
export interface ConnectionTiming extends BackOffTiming {
  /** How long a connection is waited for that WhatsApp can be told over that the link is ended. */
  leaveMs: number;
  /** How long a connection that is being made keeps its place at most: one that is not answered is no work. */
  permitMs: number;
  /** How long a connection may take until it is logged in, has a code to show, or has ended. */
  outcomeMs: number;
}

export interface ConnectionState extends ConnectionOptions {
  /** The connection that is logged in; undefined: there is none just now. */
  online: Socket | undefined;
  /** Resolves when the account is online next; another one from the end of each connection on. */
  whenOnline: PromiseWithResolvers<void>;
  /** Resolves when the credentials are written down as they are; never rejects. */
  saving: Promise<void>;
  /** WhatsApp is being told that the link is ended: the connection may end, and none follows it. */
  isLeaving: boolean;
  /** No connection is made any more. */
  isOver: boolean;
}
