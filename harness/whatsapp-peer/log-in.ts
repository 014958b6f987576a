import type { proto } from 'baileys';
import type { Connection } from './connection.ts';
import { offerCodes } from './pair.ts';
import type { PeerState, Refusal } from './state.ts';
import { element, SERVER, seconds } from './stanza.ts';
import { companionLid, type Companion } from './world.ts';

const LOGGED_OUT = 401;
const BANNED = 406;
const OUTDATED = 405;

/** Logs a linked device in, or gives a new one the codes for linking it. */
export function logIn(state: PeerState, connection: Connection, payload: proto.ClientPayload): void {
  const { refuseLogin } = state.script;
  const { primary, secondary, tertiary } = payload.userAgent?.appVersion ?? {};
  state.logins.push(`${primary}.${secondary}.${tertiary}`);
  if (state.script.ignoresLogin()) return;
  if (refuseLogin !== undefined) return refuse(connection, refuseLogin);
  if (!state.script.takesClient(tertiary ?? 0)) return refuse(connection, OUTDATED);
  if (!payload.username) return offerCodes(state, connection);
  const person = state.world.people.find(({ number }) => number === String(payload.username));
  const companion = person?.companions.get(payload.device ?? 0);
  if (person?.isBanned) return refuse(connection, BANNED);
  if (!companion) return refuse(connection, LOGGED_OUT);
  // One connection per device: the newest wins.
  companion.connection?.end(element('stream:error', {}, [element('conflict', { type: 'replaced' })]));
  open(connection, companion, state.script.clientExpiration);
}

function refuse(connection: Connection, refusal: number | Refusal): void {
  const said = typeof refusal === 'number' ? { reason: String(refusal) } : refusal;
  connection.end(element('failure', { ...said, location: 'peer' }));
}

function open(connection: Connection, companion: Companion, t: string | undefined): void {
  connection.companion = companion;
  companion.connection = connection;
  connection.send(element('success', { t: seconds(), lid: companionLid(companion), location: 'peer' }));
  if (t !== undefined) connection.send(element('ib', { from: SERVER }, [element('client_expiration', { t })]));
  companion.outbox.announce(connection);
}
