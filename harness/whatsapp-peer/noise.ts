/** The responding side of Noise_XX_25519_AESGCM_SHA256, framed as WhatsApp Web frames it. */
import { createHash, hkdfSync } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, Curve, NOISE_MODE, NOISE_WA_HEADER, proto, type KeyPair } from 'baileys';

const EMPTY = Buffer.alloc(0);
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Signs the certificate chain of a server: root, intermediate, leaf. */
export interface CertificateAuthority {
  /** The root key that clients must trust, 32 bytes. */
  rootKey: Uint8Array;
  chainFor(leafKey: Uint8Array): Uint8Array;
}

export function createCertificateAuthority(): CertificateAuthority {
  const root = Curve.generateKeyPair();
  const intermediate = Curve.generateKeyPair();
  const { Details } = proto.CertChain.NoiseCertificate;
  return {
    rootKey: root.public,
    chainFor(leafKey) {
      const now = Math.floor(Date.now() / 1_000);
      const span = { notBefore: now - HOUR, notAfter: now + DAY };
      const middle = Details.encode({ serial: 1, issuerSerial: 0, key: intermediate.public, ...span }).finish();
      const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: leafKey, ...span }).finish();
      return proto.CertChain.encode({
        intermediate: { details: middle, signature: Curve.sign(root.private, middle) },
        leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
      }).finish();
    },
  };
}

/** One handshake, and the encryption it establishes. */
export class NoiseResponder {
  private hash: Buffer = Buffer.from(NOISE_MODE);
  private salt = this.hash;
  private key = this.hash;
  private counter = 0;
  private readonly ephemeral = Curve.generateKeyPair();
  private received = EMPTY;
  private isIntroduced = false;
  private transport: { sendKey: Buffer; receiveKey: Buffer; sent: number; received: number } | undefined;
  private readonly certificates: Uint8Array;
  private readonly serverKey: KeyPair;
  stage: 'hello' | 'finish' | 'open' = 'hello';

  constructor(certificates: Uint8Array, serverKey: KeyPair) {
    this.certificates = certificates;
    this.serverKey = serverKey;
    this.authenticate(NOISE_WA_HEADER);
  }

  /** Splits received bytes into frames; keeps an incomplete one. */
  frames(data: Buffer): Buffer[] {
    this.received = Buffer.concat([this.received, this.isIntroduced ? data : this.withoutIntroduction(data)]);
    const frames: Buffer[] = [];
    while (this.received.length >= 3) {
      const end = 3 + this.received.readUIntBE(0, 3);
      if (this.received.length < end) break;
      frames.push(this.received.subarray(3, end));
      this.received = this.received.subarray(end);
    }
    return frames;
  }

  private withoutIntroduction(data: Buffer): Buffer {
    this.isIntroduced = true;
    // A client with edge routing information sends it first.
    const routed = data.subarray(0, 2).toString() === 'ED';
    const rest = routed ? data.subarray(7 + data.readUIntBE(4, 3)) : data;
    if (!rest.subarray(0, 4).equals(NOISE_WA_HEADER)) throw new Error('this is no WhatsApp Web client');
    return rest.subarray(4);
  }

  /** Answers the client's first frame. */
  hello(frame: Buffer): Buffer {
    const theirs = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral;
    if (!theirs) throw new Error('a hello without a key');
    this.authenticate(theirs);
    this.authenticate(this.ephemeral.public);
    this.mix(Curve.sharedKey(this.ephemeral.private, theirs));
    const sealedKey = this.seal(this.serverKey.public);
    this.mix(Curve.sharedKey(this.serverKey.private, theirs));
    const payload = this.seal(this.certificates);
    this.stage = 'finish';
    const serverHello = { ephemeral: this.ephemeral.public, static: sealedKey, payload };
    return framed(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  /** Reads the client's second frame, with its identity. */
  finish(frame: Buffer): proto.ClientPayload {
    const finish = proto.HandshakeMessage.decode(frame).clientFinish;
    if (!finish?.static || !finish.payload) throw new Error('an incomplete finish');
    const clientKey = this.open(finish.static);
    this.mix(Curve.sharedKey(this.ephemeral.private, clientKey));
    const payload = proto.ClientPayload.decode(this.open(finish.payload));
    const keys = Buffer.from(hkdfSync('sha256', EMPTY, this.salt, '', 64));
    this.transport = { receiveKey: keys.subarray(0, 32), sendKey: keys.subarray(32), sent: 0, received: 0 };
    this.stage = 'open';
    return payload;
  }

  decrypt(frame: Buffer): Buffer {
    const { transport } = this;
    if (!transport) throw new Error('the handshake is not done');
    return aesDecryptGCM(frame, transport.receiveKey, nonce(transport.received++), EMPTY);
  }

  encrypt(plain: Uint8Array): Buffer {
    const { transport } = this;
    if (!transport) throw new Error('the handshake is not done');
    return framed(aesEncryptGCM(plain, transport.sendKey, nonce(transport.sent++), EMPTY));
  }

  private authenticate(data: Uint8Array) {
    this.hash = createHash('sha256')
      .update(Buffer.concat([this.hash, data]))
      .digest();
  }
  private mix(secret: Uint8Array) {
    const keys = Buffer.from(hkdfSync('sha256', secret, this.salt, '', 64));
    this.salt = keys.subarray(0, 32);
    this.key = keys.subarray(32);
    this.counter = 0;
  }
  private seal(plain: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(plain, this.key, nonce(this.counter++), this.hash);
    this.authenticate(sealed);
    return sealed;
  }
  private open(sealed: Uint8Array): Buffer {
    const plain = aesDecryptGCM(sealed, this.key, nonce(this.counter++), this.hash);
    this.authenticate(sealed);
    return plain;
  }
}

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}

function framed(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntBE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}
