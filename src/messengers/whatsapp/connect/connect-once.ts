/** One connection of an account, from its opening to its end: to link the account, or to be online. */
import { STATE_REASONS, wordState } from '../../../platform/errors/account-states.ts';
import type { ClientVersion, Socket } from '../client/engine.ts';
import type { CloseReason } from '../client/errors.ts';
import type { Node } from '../client/node.ts';
import { classifyEnding, isOutdated, type Ending } from '../failures.ts';
import type { ConnectionState } from './connection-state.ts';
import { ClaimLostError } from './key-table.ts';
import type { Linking } from './link.ts';
import { logOut } from './log-out.ts';
import { isSameNumber } from '../../../platform/phone/phone-number.ts';

/** Of the year 9999, Unix time. */
const LAST_SECOND = 253_402_300_799;

/** Shows codes until a phone has linked the account. False if none did, which has been reported. */
export async function linkOnce(state: ConnectionState, linking: Linking): Promise<boolean> {
  const { use, giveUp } = linking;
  const version = await state.versions.choose();
  const socket = connect(state, version);
  use(socket);
  const closed = await endOf(state, socket);
  if (state.credentials.isLinked() && !isForeign(state)) {
    // Otherwise keys of the next connection would be deleted with those of the former link.
    if (!state.isStored) await storeLink(state);
    return true;
  }
  if (isOutdated(closed.code) && (await state.versions.replace(version))) return linkOnce(state, linking);
  const { accountId } = state.account;
  if (closed.forgery) {
    // The check of the signature reports by itself.
    if (closed.forgery === 'hmac') state.onForgery();
    state.log.warn({ accountId, forgery: closed.forgery }, 'a phone that was to be linked has an invalid signature');
    linking.fail(STATE_REASONS.forged);
    return false;
  }
  const { kind, reason } = classifyEnding(closed.code, closed.attrs);
  if (kind !== 'again') state.log.warn({ accountId, code: closed.code, reason }, 'WhatsApp refused to link an account');
  giveUp(closed);
  return false;
}

/** Logs in, and is online until the connection ends. Throws as `connecting` does. */
export async function connectOnce(state: ConnectionState): Promise<Ending> {
  const { connecting, versions, closing, timing } = state;
  const version = await versions.choose();
  const release = await connecting.acquire({ signal: closing.signal });
  const permitTimer = setTimeout(release, timing.permitMs);
  const socket = connect(state, version);
  void socket.opened.then(() => {
    release();
    void versions.recordAccepted(version);
    beOnline(state, socket);
  });
  const closed = await endOf(state, socket);
  clearTimeout(permitTimer);
  release();
  state.online = undefined;
  state.whenOnline = Promise.withResolvers();
  const ending = classifyEnding(closed.code, closed.attrs);
  const isReplaced = isOutdated(closed.code) && (await versions.replace(version));
  return isReplaced ? { kind: 'again', atOnce: true, reason: ending.reason } : ending;
}

function connect(state: ConnectionState, version: ClientVersion): Socket {
  const { credentials, linking } = state;
  const socket: Socket = credentials.openSocket({
    ...state.socket,
    version,
    onClient(client) {
      state.socket.onClient(client);
      client.onStanza({ tag: 'ib', child: 'client_expiration' }, (stanza) => recordEnd(state, version, stanza));
    },
    onQr: (qr, goodForMs) => void linking?.show(qr, goodForMs),
    onLastQr: () => linking?.expire(),
    passkey: credentials.isLinked() ? undefined : linking?.passkey,
    onCredentials() {
      if (!credentials.isLinked()) return;
      if (!isForeign(state)) state.saving = state.saving.then(() => save(state, socket));
      else {
        // The library has not signed yet: the phone reports that linking failed, and nothing is linked.
        const number = credentials.phoneNumber();
        const own = state.account.phoneNumber;
        linking?.fail(wordState('other_number', number ?? '', own ?? ''), number);
        socket.end();
      }
    },
  });
  return socket;
}

function recordEnd({ versions }: ConnectionState, version: ClientVersion, { content }: Node): void {
  const told = Array.isArray(content) ? content.find(({ tag }) => tag === 'client_expiration') : undefined;
  const seconds = Number(told?.attrs['t']);
  if (seconds > 0 && seconds < LAST_SECOND) void versions.recordEnd(version, new Date(seconds * 1_000));
}

/** A lost change of the credentials would break the link for good, so the connection ends when one cannot be stored. */
async function save(state: ConnectionState, socket: Socket): Promise<void> {
  const { account, credentials, closing, log } = state;
  try {
    if (state.isStored) await credentials.save();
    else await storeLink(state);
  } catch (error) {
    if (error instanceof ClaimLostError) closing.abort();
    log.warn({ err: error, accountId: account.accountId }, 'the credentials of an account could not be stored');
    socket.end();
  }
}

/** Those of a former link are kept until there is a new one. */
async function storeLink(state: ConnectionState): Promise<void> {
  await state.table.clear();
  await state.credentials.save();
  state.isStored = true;
}

function beOnline(state: ConnectionState, socket: Socket): void {
  if (isForeign(state)) return rejectForeignNumber(state, socket);
  state.online = socket;
  state.isRetry = false;
  state.whenOnline.resolve();
  const { isNewLink, timing } = state;
  state.isNewLink = false;
  const phoneNumber = state.credentials.phoneNumber();
  state.cooldown.report({
    status: 'connected',
    phoneNumber,
    ...(isNewLink && { newLink: { restMs: timing.restAfterLinkMs } }),
  });
}

/** Whether the phone has another number than the user. */
function isForeign({ account: { phoneNumber }, credentials }: ConnectionState): boolean {
  return phoneNumber !== undefined && !isSameNumber(credentials.phoneNumber() ?? '', phoneNumber);
}

/** The last resort, if a phone was linked all the same. */
function rejectForeignNumber({ account: { accountId }, log }: ConnectionState, socket: Socket): void {
  logOut(socket)
    .catch((error: unknown) => log.warn({ err: error, accountId }, 'a phone with another number stays linked'))
    .finally(() => socket.end());
}

/** Waits for the end of a connection, and ends it when the account is to be left alone. The credentials are stored by then. */
async function endOf(state: ConnectionState, socket: Socket): Promise<CloseReason> {
  const { signal } = state.closing;
  const stop = () => socket.end();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const closed = await socket.ended;
  signal.removeEventListener('abort', stop);
  await state.saving;
  return closed;
}
