import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  encodeWAMessage,
  initAuthCreds,
  KEY_BUNDLE_TYPE,
  proto,
  signedKeyPair,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
  type AuthenticationCreds,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
} from 'baileys';
import { pino } from 'pino';
import { element, type Stanza } from './stanza.ts';

/** The prekey bundle for the first message to a device. */
export type KeyBundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

const silent = pino({ level: 'silent' });

/** Generating the keys of a device is slow, so finished tests leave them to later ones. */
const spare: AuthenticationCreds[] = [];

/** A phone or a linked device, with real Signal state: it can only read what was encrypted for it. */
export class SignalDevice {
  /** `<number>@lid` for a phone, `<number>:<device>@lid` for its linked devices. */
  readonly jid: string;
  readonly creds: AuthenticationCreds = spare.pop() ?? initAuthCreds();
  /** Messages shown to its owner, by chat, sender and id: a repeated one is shown once. */
  private readonly shown = new Set<string>();
  private readonly keys = addTransactionCapability(keysInMemory(), silent, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 1,
  });
  private readonly signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
    { creds: this.creds, keys: this.keys },
    silent,
    () => Promise.resolve([]),
  );
  private nextPreKeyId = 1;

  constructor(jid: string) {
    this.jid = jid;
  }

  /** No message may be sent to it from then on. */
  end(): void {
    spare.push(this.creds);
  }

  /** Returns whether it shows this message for the first time. */
  show(chatId: string, sender: string, messageId: string): boolean {
    const key = `${chatId} ${sender} ${messageId}`;
    if (this.shown.has(key)) return false;
    this.shown.add(key);
    return true;
  }

  /** Creates a prekey bundle, as the server gives it to senders. Forged: with a signed prekey of somebody else. */
  async bundle(as = this.jid, isForged = false): Promise<Stanza> {
    const id = this.nextPreKeyId++;
    const preKey = Curve.generateKeyPair();
    await this.keys.set({ 'pre-key': { [id]: preKey } });
    return element('user', { jid: as }, [
      element('registration', {}, encodeBigEndian(this.creds.registrationId)),
      element('type', {}, KEY_BUNDLE_TYPE),
      element('identity', {}, this.creds.signedIdentityKey.public),
      xmppSignedPreKey(isForged ? signedKeyPair(Curve.generateKeyPair(), 1) : this.creds.signedPreKey),
      xmppPreKey(preKey, id),
    ]);
  }

  async decrypt(sender: string, type: 'pkmsg' | 'msg', ciphertext: Uint8Array): Promise<proto.Message> {
    return decoded(await this.signal.decryptMessage({ jid: sender, type, ciphertext }));
  }

  async learnSenderKey(sender: string, item: proto.Message.ISenderKeyDistributionMessage): Promise<void> {
    await this.signal.processSenderKeyDistributionMessage({ item, authorJid: sender });
  }

  async decryptGroup(group: string, sender: string, msg: Uint8Array): Promise<proto.Message> {
    return decoded(await this.signal.decryptGroupMessage({ group, authorJid: sender, msg }));
  }

  /** Encrypts for a linked device; creates a session from its uploaded keys if there is none. */
  async encryptTo(jid: string, takeBundle: () => KeyBundle, message: proto.IMessage) {
    if (!(await this.signal.validateSession(jid)).exists)
      await this.signal.injectE2ESession({ jid, session: takeBundle() });
    return this.signal.encryptMessage({ jid, data: encodeWAMessage(message) });
  }

  encryptGroup(group: string, message: proto.IMessage) {
    return this.signal.encryptGroupMessage({ group, meId: this.jid, data: encodeWAMessage(message) });
  }
}

function decoded(padded: Uint8Array): proto.Message {
  return proto.Message.decode(unpadRandomMax16(padded));
}

function keysInMemory(): SignalKeyStore {
  const kept = new Map<string, unknown>();
  return {
    get<Kind extends keyof SignalDataTypeMap>(kind: Kind, ids: string[]) {
      const found = ids.flatMap((id) => (kept.has(`${kind} ${id}`) ? [[id, kept.get(`${kind} ${id}`)]] : []));
      return Promise.resolve(Object.fromEntries(found) as Record<string, SignalDataTypeMap[Kind]>);
    },
    set(changes) {
      for (const [kind, values] of Object.entries(changes))
        for (const [id, value] of Object.entries(values))
          if (value === null) kept.delete(`${kind} ${id}`);
          else kept.set(`${kind} ${id}`, value);
      return Promise.resolve();
    },
  };
}
