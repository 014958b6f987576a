import { Curve, decodeBinaryNode, encodeBinaryNode, type proto } from 'baileys';
import type { WebSocket } from 'ws';
import { NoiseResponder } from './noise.ts';
import type { Pairing } from './pair.ts';
import { child, element, type Stanza } from './stanza.ts';
import type { PeerState } from './state.ts';
import type { Companion } from './world.ts';

/** Handlers for the messages of a client. */
export interface Handlers {
  logIn(connection: Connection, payload: proto.ClientPayload): void;
  answerQuery(connection: Connection, query: Stanza): Promise<void>;
  takePost(connection: Connection, stanza: Stanza): Promise<void>;
}

/** One client's connection, from the handshake to its end. */
export class Connection {
  /** Set after the login. */
  companion: Companion | undefined;
  /** Set while it shows a pairing code. */
  pairing: Pairing | undefined;
  private readonly noise: NoiseResponder;
  private readonly socket: WebSocket;
  private readonly state: PeerState;
  private readonly handlers: Handlers;
  private readonly awaited = new Map<string, (answer: Stanza) => void>();
  /** Handles messages in order. */
  private last = Promise.resolve();

  constructor(socket: WebSocket, state: PeerState, handlers: Handlers) {
    this.handlers = handlers;
    this.socket = socket;
    this.state = state;
    const { authority, serverKey, script } = state;
    const certified = script.showsOthersCertificate ? Curve.generateKeyPair() : serverKey;
    this.noise = new NoiseResponder(authority.chainFor(certified.public), serverKey);
    socket.on('message', (data: Buffer) => {
      this.last = this.last.then(() => this.receive(data)).catch((error: unknown) => this.fail(error));
    });
    socket.on('close', () => {
      state.connections.delete(this);
      if (this.companion?.connection === this) this.companion.connection = undefined;
    });
    socket.on('error', () => this.cut());
  }

  send(stanza: Stanza): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(this.noise.encrypt(encodeBinaryNode(stanza)));
  }

  /** Sends a stanza with an id and resolves to the answer. */
  request(stanza: Stanza): Promise<Stanza> {
    return new Promise((resolve) => {
      this.awaited.set(stanza.attrs['id'] ?? '', resolve);
      this.send(stanza);
    });
  }

  /** Sends the reason, then closes the connection. */
  end(reason: Stanza): void {
    this.send(reason);
    this.socket.close();
  }

  /** Cuts the connection, as a network failure does. */
  cut(): void {
    this.socket.terminate();
  }

  onClose(listener: () => void): void {
    this.socket.once('close', listener);
  }

  private async receive(data: Buffer): Promise<void> {
    for (const frame of this.noise.frames(data)) {
      if (this.noise.stage === 'hello') this.socket.send(this.noise.hello(frame));
      else if (this.noise.stage === 'finish') this.handlers.logIn(this, this.noise.finish(frame));
      else await this.take(await decodeBinaryNode(this.noise.decrypt(frame)));
    }
  }

  private async take(stanza: Stanza): Promise<void> {
    const { id = '', type } = stanza.attrs;
    const waiting = this.awaited.get(id);
    if (stanza.tag === 'ack' || stanza.tag === 'receipt')
      void this.companion?.outbox.hear(this, stanza).catch((error: unknown) => this.fail(error));
    const isAnswer = (stanza.tag === 'iq' && type !== 'get' && type !== 'set') || stanza.tag === 'ack';
    if (waiting && isAnswer) {
      this.awaited.delete(id);
      waiting(stanza);
    } else if (stanza.tag === 'iq' && !isAnswer) await this.handlers.answerQuery(this, stanza);
    else if (stanza.tag === 'message') await this.handlers.takePost(this, stanza);
    else if (stanza.tag === 'ib') this.takeWish(stanza);
    else if (stanza.tag === 'receipt') this.send(element('ack', { id, class: 'receipt', to: stanza.attrs['to'] }));
    else if (!isAnswer && !FREE_OF_ANSWER.has(stanza.tag)) this.state.unanswered.push(stanza);
  }

  /** Handles requests without an answer. */
  private takeWish(stanza: Stanza): void {
    const count = Number(child(stanza, 'offline_batch')?.attrs['count'] ?? 0);
    if (count > 0) void this.companion?.outbox.handOut(count).catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.state.defects.push(error);
    this.cut();
  }
}

const FREE_OF_ANSWER = new Set(['presence', 'chatstate', 'call']);
