import { encodeSignedDeviceIdentity, generateSignalPubKey, type WASocket } from 'baileys';
import type { Jid } from './jid.ts';
import type { PreKeyBundle } from './pre-keys.ts';
import type { Signal } from './signal.ts';
import { verifySignature } from './verify-signature.ts';
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts';

export function createSignal({ authState, signalRepository: repository }: WASocket): Signal {
  const { keys, creds } = authState;
  const nameOf = (device: Jid) => repository.jidToSignalProtocolAddress(device);
  return {
    transaction: (work) => keys.transaction(work, creds.me?.id ?? ''),
    async findSessions(devices) {
      const known = await keys.get('session', devices.map(nameOf));
      const open = new Set<Jid>();
      for (const device of devices) {
        await yieldToEventLoop();
        if (known[nameOf(device)] && (await repository.validateSession(device)).exists) open.add(device);
      }
      return open;
    },
    registrationIdOf: async (device) => (await repository.getSessionInfo(device))?.registrationId,
    async dropSessions(devices) {
      await keys.set({ session: Object.fromEntries(devices.map((device) => [nameOf(device), null])) });
    },
    startSession: async (jid, keys) => repository.injectE2ESession({ jid, session: toVerified(keys) }),
    encrypt: (jid, data) => repository.encryptMessage({ jid, data }),
    async encryptForGroup(sender, data) {
      const encrypted = await repository.encryptGroupMessage({ ...sender, data });
      return { ciphertext: encrypted.ciphertext, senderKey: encrypted.senderKeyDistributionMessage };
    },
    findSenderKey: async (sender) =>
      (await repository.hasSenderKey(sender)) ? repository.getSenderKeyDistributionMessage(sender) : undefined,
    async dropSenderKey({ group, meId }) {
      // The library names it by group, user and device.
      const name = `${group}::${nameOf(meId).replace(/\.(\d+)$/, '::$1')}`;
      await keys.set({ 'sender-key': { [name]: null } });
    },
    deviceIdentity: () =>
      creds.account && {
        tag: 'device-identity',
        attrs: {},
        content: encodeSignedDeviceIdentity(creds.account, true),
      },
  };
}

type LibraryBundle = Parameters<WASocket['signalRepository']['injectE2ESession']>[0]['session'];

/** The library has a check of this signature, and skips it when a session starts. */
function toVerified({ registrationId, identityKey, signedPreKey, preKey }: PreKeyBundle): LibraryBundle {
  const withType = <Key extends { publicKey: Uint8Array }>(key: Key) => ({
    ...key,
    publicKey: generateSignalPubKey(key.publicKey),
  });
  const signed = withType(signedPreKey);
  if (!verifySignature(identityKey, signed.publicKey, signed.signature))
    throw new Error('the keys of a device are not signed by it');
  const bundle = { registrationId, identityKey: generateSignalPubKey(identityKey), signedPreKey: signed };
  // The key for one use may be missing, which the library's type does not say.
  return { ...bundle, preKey: preKey && withType(preKey) } as LibraryBundle;
}
