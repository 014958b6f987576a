/** A self-signed certificate for the loopback address and WhatsApp's default media host: media hosts always use HTTPS. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  /** PEM, for clients that trust it. */
  certificate: string;
  privateKey: string;
}

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const LOOPBACK = Buffer.from([127, 0, 0, 1]);
/** Clients download from it whatever a message does not name a host for. */
export const DEFAULT_MEDIA_HOST = 'mmg.whatsapp.net';
/** The DER tags used here. */
const DER = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  id: 0x06,
  text: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
};
/** Context tags: a DNS name and an IP address in a list of names; version and extensions in a certificate. */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

export function signOwnCertificate(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(DER.sequence, der(DER.id, ECDSA_WITH_SHA256));
  const name = der(
    DER.sequence,
    der(DER.set, der(DER.sequence, der(DER.id, COMMON_NAME), der(DER.text, Buffer.from('loopback peer')))),
  );
  const validity = der(
    DER.sequence,
    der(DER.time, Buffer.from('20200101000000Z')),
    der(DER.time, Buffer.from('20991231000000Z')),
  );
  const extensions = der(
    DER.sequence,
    extension(BASIC_CONSTRAINTS, der(DER.sequence, der(DER.boolean, [0xff]))),
    extension(
      SUBJECT_ALT_NAME,
      der(DER.sequence, der(IP_ADDRESS, LOOPBACK), der(DNS_NAME, Buffer.from(DEFAULT_MEDIA_HOST))),
    ),
  );
  // A serial number must be positive.
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const body = der(
    DER.sequence,
    der(VERSION, der(DER.integer, [2])),
    der(DER.integer, serial),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = der(DER.sequence, body, algorithm, der(DER.bits, [0], signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extension(id: number[], value: Buffer): Buffer {
  return der(DER.sequence, der(DER.id, id), der(DER.octets, value));
}

/** Encodes one value: tag, length, content. */
function der(tag: number, ...parts: Array<Uint8Array | number[]>): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
