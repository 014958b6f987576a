/** One connection of an account, from its opening to its end: to link the account, or to be online. */
import type { CloseReason } from '../client/errors.ts';
import { openSocket, type ClientVersion, type Socket } from '../client/open-socket.ts';
import { classifyEnding, isOutdated, type Ending } from '../failures.ts';
import type { ConnectionState } from './connection-state.ts';
import { ClaimLostError } from './key-table.ts';
import type { Linking } from './link.ts';
import { logOut } from './log-out.ts';
import { isSameNumber } from './is-same-number.ts';

const PASSKEY =
  'WhatsApp asks for the passkey of this number, which only its own apps can show: it cannot be linked just now. Deleting the passkey ' +
  'on the phone has helped some; else use another number';

/** Shows codes until a phone has linked the account. False if none did, which has been reported. */
export async function linkOnce(state: ConnectionState, linking: Linking): Promise<boolean> {
  const { use, giveUp } = linking;
  // Keys of an earlier attempt are of no use.
  await state.table.clear();
  const version = await state.versions.choose();
  const socket = connect(state, version);
  use(socket);
  const closed = await endOf(state, socket);
  if (state.credentials.isLinked() && !isForeign(state)) return true;
  if (isOutdated(closed.code) && (await state.versions.replace(version))) return linkOnce(state, linking);
  const { kind, reason } = classifyEnding(closed.code, closed.attrs);
  const { accountId } = state.account;
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
  const socket: Socket = openSocket({
    ...state.socket,
    version,
    credentials,
    onQr: (qr) => void linking?.show(qr),
    onPasskey() {
      if (credentials.isLinked()) return;
      state.log.warn({ accountId: state.account.accountId }, 'WhatsApp asks for a passkey to link an account');
      linking?.fail(PASSKEY);
      socket.end();
    },
    onCredentials() {
      if (!credentials.isLinked()) return;
      if (!isForeign(state)) state.saving = state.saving.then(() => save(state, socket));
      else {
        // The library has not signed yet: the phone reports that linking failed, and nothing is linked.
        const number = credentials.phoneNumber();
        const own = state.account.phoneNumber;
        linking?.fail(`The phone that was used has the number +${number}; this account is for +${own} alone`, number);
        socket.end();
      }
    },
  });
  return socket;
}

/** A lost change of the credentials would break the link for good, so the connection ends when one cannot be stored. */
async function save({ account, credentials, closing, log }: ConnectionState, socket: Socket): Promise<void> {
  try {
    await credentials.save();
  } catch (error) {
    if (error instanceof ClaimLostError) closing.abort();
    log.warn({ err: error, accountId: account.accountId }, 'the credentials of an account could not be stored');
    socket.end();
  }
}

function beOnline(state: ConnectionState, socket: Socket): void {
  if (isForeign(state)) return rejectForeignNumber(state, socket);
  state.online = socket;
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
