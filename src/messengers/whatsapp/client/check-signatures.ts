/**
 * Checks the signatures that the library ignores: it notices only exceptions, and not a result of false. These are the signatures of
 * the server's certificates, and the signature of the phone that links the account. Against replay of recorded certificates, the
 * server's key is compared with the key in its certificate. All of it goes through `Curve`, an exported object whose functions can
 * be replaced (docs/explanation/decisions/0012).
 */
import { Curve, proto, WA_ADV_ACCOUNT_SIG_PREFIX, WA_CERT_DETAILS } from 'baileys';
import type { SignatureRules } from './engine.ts';
import { verifySignature } from './verify-signature.ts';

const WHATSAPP_KEY = WA_CERT_DETAILS.PUBLIC_KEY;
const { sharedKey } = Curve;

/** Applies from now on to all connections of the process. */
export function checkSignatures({ rootKey, isEnforced, onDoubt }: SignatureRules): void {
  /** The peer of the last agreed secret: the server, while its certificates are checked. */
  let agreedWith = Buffer.alloc(0);
  WA_CERT_DETAILS.PUBLIC_KEY = rootKey ? Buffer.from(Uint8Array.from(rootKey)) : WHATSAPP_KEY;

  function holds(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    try {
      if (!verifySignature(key, message, signature)) return false;
      return isAboutPhone(message) || WA_CERT_DETAILS.PUBLIC_KEY.equals(key) || agreedWith.equals(keyIn(message));
    } catch {
      // Malformed keys, signatures and certificates.
      return false;
    }
  }

  Curve.sharedKey = (own, theirs) => {
    agreedWith = Buffer.from(theirs);
    return sharedKey(own, theirs);
  };
  Curve.verify = (key, message, signature) => {
    if (holds(key, message, signature)) return true;
    onDoubt(isAboutPhone(message) ? 'account_signature' : 'certificate');
    return !isEnforced;
  };
}

/** The key in a certificate. */
function keyIn(certificate: Uint8Array): Uint8Array {
  return proto.CertChain.NoiseCertificate.Details.decode(certificate).key ?? Buffer.alloc(0);
}

/** A signed identity begins with a byte that no certificate begins with. */
function isAboutPhone(message: Uint8Array): boolean {
  return message[0] === WA_ADV_ACCOUNT_SIG_PREFIX[0];
}
