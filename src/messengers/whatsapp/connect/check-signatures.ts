/**
 * Checks the signatures that the client lets pass, since it looks whether the check throws and not at what it answers: those of the
 * server's certificates, and that of the phone which vouches for a new link. It does not compare the server's own key with the one
 * in its certificate either. Both go through `Curve`, which the client exports and anybody may change.
 */
import { Curve, generateSignalPubKey, proto, WA_ADV_ACCOUNT_SIG_PREFIX, WA_CERT_DETAILS } from 'baileys';

export interface SignatureRules {
  /** Who signs the certificates of the server, 32 bytes. Undefined: WhatsApp. */
  rootKey: Buffer | undefined;
  /** What does not hold is refused. Else it is told, and let pass. */
  isEnforced: boolean;
  onDoubt(doubt: SignatureDoubt): void;
}

/** What did not hold: who the server is, or that the phone whose number it is has agreed. */
export type SignatureDoubt = 'certificate' | 'account_signature';

const WHATSAPP_KEY = WA_CERT_DETAILS.PUBLIC_KEY;
const { sharedKey } = Curve;

/** From then on, for all connections of the process. */
export async function checkSignatures({ rootKey, isEnforced, onDoubt }: SignatureRules): Promise<void> {
  const { verifySignature } = (await import('libsignal/src/curve.js' as string)) as {
    verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  };
  /** With whom a secret was agreed last: while the certificates are read, that is the server. */
  let agreedWith = Buffer.alloc(0);
  WA_CERT_DETAILS.PUBLIC_KEY = rootKey ? Buffer.from(Uint8Array.from(rootKey)) : WHATSAPP_KEY;

  function holds(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    try {
      if (!verifySignature(generateSignalPubKey(key), message, signature)) return false;
      return isAboutPhone(message) || WA_CERT_DETAILS.PUBLIC_KEY.equals(key) || agreedWith.equals(keyIn(message));
    } catch {
      // What cannot be a key, a signature or a certificate at all.
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

/** Whose certificate it is. */
function keyIn(certificate: Uint8Array): Uint8Array {
  return proto.CertChain.NoiseCertificate.Details.decode(certificate).key ?? Buffer.alloc(0);
}

/** Such a message begins with a byte that no certificate begins with. */
function isAboutPhone(message: Uint8Array): boolean {
  return message[0] === WA_ADV_ACCOUNT_SIG_PREFIX[0];
}
