import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  encodeWAMessage,
  initAuthCreds,
  KEY_BUNDLE_TYPE,
  proto,
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

/** The keys with which one writes to a device for the first time. */
export type KeyBundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

const silent = pino({ level: 'silent' });

/** To make the keys of a device takes longer than most of what is then done with it: who ends leaves them to who begins. */
const spare: AuthenticationCreds[] = [];

/** A phone or a linked device of somebody, with real Signal state: what it reads was really encrypted for it. */
export class SignalDevice {
  /** `<number>@lid` of a phone, `<number>:<device>@lid` of what is linked to it. */
  readonly jid: string;
  readonly creds: AuthenticationCreds = spare.pop() ?? initAuthCreds();
  /** What it has shown its owner, by chat, sender and id: a repeat is shown once. */
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

  /** Nobody may write to it from then on. */
  end(): void {
    spare.push(this.creds);
  }

  /** Whether it is the first time that it shows this message. */
  show(chatId: string, sender: string, messageId: string): boolean {
    const key = `${chatId} ${sender} ${messageId}`;
    if (this.shown.has(key)) return false;
    this.shown.add(key);
    return true;
  }

  /** A new bundle of keys, as the server hands it to whoever wants to write to this device. */
  async bundle(as = this.jid): Promise<Stanza> {
    const id = this.nextPreKeyId++;
    const preKey = Curve.generateKeyPair();
    await this.keys.set({ 'pre-key': { [id]: preKey } });
    return element('user', { jid: as }, [
      element('registration', {}, encodeBigEndian(this.creds.registrationId)),
      element('type', {}, KEY_BUNDLE_TYPE),
      element('identity', {}, this.creds.signedIdentityKey.public),
      xmppSignedPreKey(this.creds.signedPreKey),
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

  /** Encrypts for a linked device, with a session made of the keys it has uploaded if there is none yet. */
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
