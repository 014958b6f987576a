import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export type MailLinks = ReturnType<typeof createMailLinks>;

const ID_BYTES = 16;
const PROOF_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{64}$/;

/**
 * What the links of mails carry. A code is made of the mail's id and a secret that the database has not got, so that what is stored of
 * mails opens nothing. Whether a code is still good for something says the row of its mail. `secret` is the one of the tokens. Codes that
 * were made with the one before are taken, too, and those made with any other are void.
 */
export function createMailLinks(secret: string, previousSecret?: string) {
  const proofOf = prover(secret);
  const provers = [proofOf, ...(previousSecret === undefined ? [] : [prover(previousSecret)])];
  return {
    codeOf(mailId: string) {
      const id = Buffer.from(mailId.replaceAll('-', ''), 'hex');
      return Buffer.concat([id, proofOf(id)]).toString('base64url');
    },
    /** The id of the mail that a code was made for; undefined for any other string. */
    mailIdOf(code: string) {
      if (!SHAPE.test(code)) return undefined;
      const bytes = Buffer.from(code, 'base64url');
      const id = bytes.subarray(0, ID_BYTES);
      if (!provers.some((prove) => timingSafeEqual(bytes.subarray(ID_BYTES), prove(id)))) return undefined;
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}

function prover(secret: string): (id: Buffer) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'campanile mail links', PROOF_BYTES));
  return (id) => createHmac('sha256', key).update(id).digest();
}
