/**
 * A WhatsApp of our own on the loopback address: it speaks the WhatsApp Web protocol to an unmodified client, so that what is
 * built on one can be proven without WhatsApp and without a network.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
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
import { askAgain, changeGroup, connectionOf, join, type Asked, type GroupSettings } from './phones.ts';
import { takePost } from './take-posts.ts';
import type { Arrival, PeerState, Script } from './state.ts';
import { element, type Stanza } from './stanza.ts';
import { addPerson, createWorld, type Companion, type Group, type Person, type World } from './world.ts';

export interface WhatsAppPeer {
  /** For `WHATSAPP_URL`. */
  url: string;
  /** For `WHATSAPP_ROOT_KEY`: the hex of the key that signs its certificates. */
  rootKey: string;
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
  /** Files that were uploaded, oldest first. */
  uploads: Upload[];
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
  askAgain(sender: Companion, asked: Asked): Promise<void>;
  /** Rejects when there was something that it could not answer, or that was not as it should be. */
  stop(): Promise<void>;
}

export async function startWhatsAppPeer({ port = 0 } = {}): Promise<WhatsAppPeer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  const mediaHost = await startMediaHost(() => state);
  const state = createState(mediaHost);
  const handlers: Handlers = {
    logIn: (connection, payload) => logIn(state, connection, payload),
    answerQuery: (connection, query) => answerQuery(state, connection, query),
    takePost: (connection, stanza) => takePost(state, connection, stanza),
  };
  server.on('connection', (socket) => {
    if (state.script.isReachable) state.connections.add(new Connection(socket, state, handlers));
    else socket.terminate();
  });
  const address = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${address.port}/ws/chat`,
    rootKey: Buffer.from(state.authority.rootKey).toString('hex'),
    certificate: mediaHost.certificate,
    world: state.world,
    script: state.script,
    behave: () => void Object.assign(state.script, goodDay()),
    arrivals: state.arrivals,
    received: state.received,
    uploads: state.uploads,
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
      eachConnection(person, (connection) => connection.end(element('failure', { reason: '403' })));
    },
    join: (group, person) => join(state, group, person),
    change: (group, settings) => changeGroup(state, group, settings),
    askAgain: (sender, asked) => askAgain(state, sender, asked),
    async stop() {
      for (const connection of state.connections) connection.cut();
      server.close();
      await Promise.all([once(server, 'close'), mediaHost.close()]);
      const complaints = [...state.defects, ...state.unanswered];
      if (complaints.length > 0) throw new Error(`the peer complains: ${inspect(complaints, { depth: 4 })}`);
    },
  };
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
    mediaHost,
    uploads: [],
    decrypted: new Map(),
    unanswered: [],
    defects: [],
    nextId: () => `peer-${++sent}`,
  };
}

function goodDay(): Script {
  return {
    judge: () => 'accept',
    refuseQuery: () => undefined,
    refuseUpload: () => undefined,
    hidesPictures: false,
    queryIds: QUERY_IDS,
    tellsNoCounts: false,
    listsMembersUpTo: Infinity,
    refuseLogin: undefined,
    isReachable: true,
    codes: 6,
    cutPairing: undefined,
    restrictedUntil: undefined,
    phonesAskAgain: true,
  };
}
