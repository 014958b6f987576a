/**
 * A WhatsApp of our own on the loopback address: it speaks the WhatsApp Web protocol to an unmodified client, so that what is
 * built on one can be proven without WhatsApp and without a network.
 */
import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import { Curve } from 'baileys';
import { WebSocketServer } from 'ws';
import { QUERY_IDS } from './answer-channels.ts';
import { answerQuery } from './answer-queries.ts';
import { Connection, type Handlers } from './connection.ts';
import { logIn } from './log-in.ts';
import { createCertificateAuthority } from './noise.ts';
import { startMediaHost, type MediaHost, type Upload } from './media-host.ts';
import { enterCode, scanQr } from './pair.ts';
import { askAgain, changeGroup, connectionOf, join, tellChange, type Asked, type GroupSettings } from './phones.ts';
import { SignalDevice } from './signal-device.ts';
import { takePost } from './take-posts.ts';
import type { Arrival, HandedOut, PeerState, Script } from './state.ts';
import { element, type Stanza } from './stanza.ts';
import {
  addPerson,
  companionsNear,
  createWorld,
  lidOf,
  type Companion,
  type Group,
  type Person,
  type World,
} from './world.ts';

export interface WhatsAppPeer {
  /** For `WHATSAPP_URL`. */
  url: string;
  /** For `WHATSAPP_ROOT_KEY`: the hex of the key that signs its certificates. */
  rootKey: string;
  /** What makes a service in a process of its own talk to this peer, without gaps. */
  environment: Record<string, string>;
  /** For `WHATSAPP_CA_FILE`: PEM of what its media host shows. */
  certificate: string;
  world: World;
  /** Change it to make something go wrong; `behave` undoes that. */
  script: Script;
  behave(): void;
  /** What devices have shown, and channels hold, oldest first. */
  arrivals: Arrival[];
  /** Posts as they came in, repeats and refused ones too. */
  received: Stanza[];
  /** What was handed out in groups, and to which devices. */
  handedOut: HandedOut[];
  /** Files that were uploaded, oldest first. */
  uploads: Upload[];
  /** The version of each client that has said who it is, to log in or to be linked, oldest first. */
  logins: readonly string[];
  addPerson(number: string, devices?: readonly number[]): Person;
  /** The person's phone scans what the service shows. */
  scan(person: Person, qr: string): Promise<Companion>;
  /** The person enters on the phone what the service shows. */
  enter(person: Person, code: string): Promise<Companion>;
  /** The connection of the person's linked device breaks without a word. */
  cut(person: Person): void;
  /** The server ends it, with the code of a stream error. */
  end(person: Person, code: number): void;
  /** The same link is used from elsewhere. */
  replace(person: Person): void;
  /** Somebody removes the linked devices from their phone. */
  unlink(person: Person): void;
  ban(person: Person): void;
  /** Somebody joins a group. Resolves when the linked devices of its members have taken note. */
  join(group: Group, person: Person): Promise<void>;
  /** An admin changes settings of a group, on their phone. As `join`. */
  change(group: Group, settings: Partial<GroupSettings>): Promise<void>;
  /** Somebody takes another phone, with which nothing is linked. Resolves when all who share a group with them have heard of it. */
  takeNewPhone(person: Person): Promise<void>;
  /** Which devices somebody has by now is told to all who share a group with them. Resolves as `takeNewPhone` does. */
  tellDevices(person: Person): Promise<void>;
  askAgain(sender: Companion, asked: Asked): Promise<void>;
  /** Rejects when there was something that it could not answer, or that was not as it should be. */
  stop(): Promise<void>;
}

export async function startWhatsAppPeer({ port = 0 } = {}): Promise<WhatsAppPeer> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const mediaHost = await startMediaHost(() => state);
  const state = createState(mediaHost);
  const handlers: Handlers = {
    logIn: (connection, payload) => logIn(state, connection, payload),
    answerQuery: (connection, query) => answerQuery(state, connection, query),
    takePost: (connection, stanza) => takePost(state, connection, stanza),
  };
  /** Of connections that were not begun: nobody else ends them. */
  const refused = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    const refusal = state.script.refuseUpgrade();
    if (refusal === undefined)
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        if (state.script.isReachable) state.connections.add(new Connection(accepted, state, handlers));
        else accepted.terminate();
      });
    else {
      refused.add(socket);
      socket.on('error', () => socket.destroy());
      if (refusal !== 'silence') socket.end(answerOf(refusal));
    }
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat`;
  const rootKey = Buffer.from(state.authority.rootKey).toString('hex');
  const tellNear = async (person: Person, change: Parameters<typeof tellChange>[2]) => {
    await Promise.all(companionsNear(state.world, person).map((companion) => tellChange(companion, person, change)));
  };
  return {
    url,
    rootKey,
    environment: { MESSENGER: 'whatsapp', WHATSAPP_URL: url, WHATSAPP_ROOT_KEY: rootKey, WHATSAPP_GAP_MS: '0-0' },
    certificate: mediaHost.certificate,
    world: state.world,
    script: state.script,
    behave: () => void Object.assign(state.script, goodDay()),
    arrivals: state.arrivals,
    received: state.received,
    handedOut: state.handedOut,
    uploads: state.uploads,
    logins: state.logins,
    addPerson: (number, devices) => addPerson(state.world, number, devices),
    scan: (person, qr) => scanQr(state, person, qr),
    enter: (person, code) => enterCode(state, person, code),
    cut: (person) => eachConnection(person, (connection) => connection.cut()),
    end: (person, code) =>
      eachConnection(person, (connection) => connection.end(element('stream:error', { code: String(code) }))),
    replace: (person) =>
      eachConnection(person, (connection) =>
        connection.end(element('stream:error', {}, [element('conflict', { type: 'replaced' })])),
      ),
    unlink(person) {
      const removed = element('stream:error', { code: '401' }, [element('conflict', { type: 'device_removed' })]);
      eachConnection(person, (connection) => connection.end(removed));
      person.companions.clear();
    },
    ban(person) {
      person.isBanned = true;
      eachConnection(person, (connection) => connection.end(element('failure', { reason: '406' })));
    },
    join: (group, person) => join(state, group, person),
    change: (group, settings) => changeGroup(state, group, settings),
    async takeNewPhone(person) {
      person.devices = [new SignalDevice(lidOf(person))];
      await tellNear(person, 'another phone');
    },
    tellDevices: (person) => tellNear(person, 'other devices'),
    askAgain: (sender, asked) => askAgain(state, sender, asked),
    async stop() {
      for (const connection of state.connections) connection.cut();
      for (const socket of refused) socket.destroy();
      server.close();
      await Promise.all([once(server, 'close'), mediaHost.close()]);
      for (const device of state.world.people.flatMap(({ devices }) => devices)) device.end();
      const complaints = [...state.defects, ...state.unanswered];
      if (complaints.length > 0) throw new Error(`the peer complains: ${inspect(complaints, { depth: 4 })}`);
    },
  };
}

function answerOf(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 5\r\nConnection: close\r\n\r\nSorry`;
}

function eachConnection(person: Person, act: (connection: Connection) => void): void {
  for (const companion of person.companions.values()) if (companion.connection) act(connectionOf(companion));
}

function createState(mediaHost: MediaHost): PeerState {
  let sent = 0;
  return {
    world: createWorld(),
    script: goodDay(),
    authority: createCertificateAuthority(),
    serverKey: Curve.generateKeyPair(),
    connections: new Set(),
    arrivals: [],
    received: [],
    handedOut: [],
    askedAgain: new Map(),
    mediaHost,
    uploads: [],
    decrypted: new Map(),
    secrets: new Map(),
    unanswered: [],
    defects: [],
    logins: [],
    nextId: () => `peer-${++sent}`,
  };
}

function goodDay(): Script {
  return {
    judge: () => 'accept',
    refuseQuery: () => undefined,
    keysOf: () => 'given',
    refuseUpload: () => undefined,
    hidesPictures: false,
    queryIds: QUERY_IDS,
    tellsNoCounts: false,
    listsMembersUpTo: Infinity,
    refuseUpgrade: () => undefined,
    refuseLogin: undefined,
    ignoresLogin: () => false,
    takesClient: (revision) => revision > 1_040_000_000,
    isReachable: true,
    codes: 6,
    cutPairing: undefined,
    asksForPasskey: false,
    withdrawsSecrets: false,
    showsOthersCertificate: false,
    forgesPairing: false,
    restrictedUntil: undefined,
    phonesAskAgain: true,
  };
}
