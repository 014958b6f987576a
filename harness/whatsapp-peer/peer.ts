/**
 * A WhatsApp server for tests on the loopback address: it speaks the WhatsApp Web protocol to an unmodified client, so that the
 * messenger can be tested without WhatsApp and without a network.
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
import { compareCode } from './passkey.ts';
import {
  askAgain,
  changeGroup,
  connectionOf,
  disband,
  join,
  leave,
  setRank,
  tellChange,
  tellOwnDevices,
  type Asked,
  type GroupSettings,
} from './phones.ts';
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
  /** Environment of a service process that uses this peer, without gaps and without a rest after a link. */
  environment: Record<string, string>;
  /** For `WHATSAPP_CA_FILE`: PEM of the media host's certificate. */
  certificate: string;
  /** The address of the media host, with the port. */
  mediaHost: string;
  world: World;
  /** Change it to inject faults; `behave` resets it. */
  script: Script;
  behave(): void;
  /** Posts shown by devices and channels, oldest first. */
  arrivals: Arrival[];
  /** Received posts, including repeated and rejected ones. */
  received: Stanza[];
  /** Stanzas delivered in groups, with their devices. */
  handedOut: HandedOut[];
  /** Uploaded files, oldest first. */
  uploads: Upload[];
  /** The version of each client that has logged in or tried to link, oldest first. */
  logins: readonly string[];
  addPerson(number: string, devices?: readonly number[]): Person;
  /** The person's phone scans the QR code of the service. */
  scan(person: Person, qr: string): Promise<Companion>;
  /** The person enters the pairing code of the service on the phone. */
  enter(person: Person, code: string): Promise<Companion>;
  /** The person compares the characters on the phone with those of the service. Rejects when they differ. */
  compare(person: Person, code: string): Promise<void>;
  /** Breaks the connections of clients that no phone has linked. */
  cutLinking(): void;
  /** Breaks the connection of the person's linked device. */
  cut(person: Person): void;
  /** Ends it with the code of a stream error. */
  end(person: Person, code: number): void;
  /** Another client logs in with the same link. */
  replace(person: Person): void;
  /** The person removes the linked devices on the phone. WhatsApp may tell that without a code. */
  unlink(person: Person, isCoded?: boolean): void;
  ban(person: Person): void;
  /** A person joins a group. Resolves when the linked devices of its members have acknowledged it. */
  join(group: Group, person: Person): Promise<void>;
  /** A person leaves a group, or is removed from it. Resolves as `join` does. */
  leave(group: Group, person: Person): Promise<void>;
  /** A member becomes an admin, or is one no longer. Resolves as `join` does. */
  setRank(group: Group, person: Person, rank: 'admin' | 'member'): Promise<void>;
  /** A group is deleted. Resolves as `join` does. */
  disband(group: Group): Promise<void>;
  /** Notifies a client that its owner has other devices. */
  tellOwnDevices(companion: Companion): Promise<void>;
  /** An admin changes settings of a group on the phone. Resolves as `join` does. */
  change(group: Group, settings: Partial<GroupSettings>): Promise<void>;
  /** A person registers on a new phone without linked devices. Resolves when all who share a group with them are notified. */
  takeNewPhone(person: Person): Promise<void>;
  /** Notifies all who share a group with a person of their current devices. Resolves as `takeNewPhone` does. */
  tellDevices(person: Person): Promise<void>;
  askAgain(sender: Companion, asked: Asked): Promise<void>;
  /** Rejects if a query was not answered, or if there was a defect. */
  stop(): Promise<void>;
}

export async function startWhatsAppPeer({ port = 0 } = {}): Promise<WhatsAppPeer> {
  const server = createServer((_request, response) => response.writeHead(426).end());
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
  /** Connections that never started: nothing else ends them. */
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
    environment: {
      MESSENGER: 'whatsapp',
      WHATSAPP_URL: url,
      WHATSAPP_ROOT_KEY: rootKey,
      WHATSAPP_GAP_MS: '0-0',
      WHATSAPP_WARM_UP_GAP_MS: '0-0',
      WHATSAPP_REST_AFTER_LINK_MINUTES: '0',
    },
    certificate: mediaHost.certificate,
    mediaHost: mediaHost.hostname,
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
    compare: (person, code) => compareCode(state, person, code),
    cutLinking() {
      for (const connection of state.connections) if (!connection.companion) connection.cut();
    },
    cut: (person) => eachConnection(person, (connection) => connection.cut()),
    end: (person, code) =>
      eachConnection(person, (connection) => connection.end(element('stream:error', { code: String(code) }))),
    replace: (person) =>
      eachConnection(person, (connection) =>
        connection.end(element('stream:error', {}, [element('conflict', { type: 'replaced' })])),
      ),
    unlink(person, isCoded = true) {
      const removed = element('stream:error', isCoded ? { code: '401' } : {}, [
        element('conflict', { type: 'device_removed' }),
      ]);
      eachConnection(person, (connection) => connection.end(removed));
      person.companions.clear();
    },
    ban(person) {
      person.isBanned = true;
      eachConnection(person, (connection) => connection.end(element('failure', { reason: '406' })));
    },
    join: (group, person) => join(state, group, person),
    leave: (group, person) => leave(state, group, person),
    setRank: (group, person, rank) => setRank(state, group, person, rank),
    disband: (group) => disband(state, group),
    tellOwnDevices,
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
    ackOf: () => ({}),
    refuseQuery: () => undefined,
    devicesOf: () => 'given',
    hidesLidOf: () => false,
    hasHostedDevice: () => false,
    refuseMember: () => undefined,
    keysOf: () => 'given',
    refuseUpload: () => undefined,
    hidesPictures: false,
    queryIds: QUERY_IDS,
    answerMex: () => undefined,
    answerPosts: () => undefined,
    tellsNoCounts: false,
    hidesViews: [],
    hidesCreator: false,
    listsMembersUpTo: Infinity,
    refuseUpgrade: () => undefined,
    refuseLogin: undefined,
    ignoresLogin: () => false,
    takesClient: (revision) => revision > 1_040_000_000,
    clientExpiration: undefined,
    isReachable: true,
    codes: 6,
    cutPairing: undefined,
    asksForPasskey: false,
    withholdsCodeKey: false,
    passkeyMs: 600_000,
    passkeyProof: 'required',
    withholdsPasskeyOptions: false,
    phoneComparesCodes: true,
    losesPasskeyContinuation: false,
    withdrawsSecrets: false,
    showsOthersCertificate: false,
    forgesPairing: undefined,
    restrictedUntil: undefined,
    phonesAskAgain: true,
  };
}
