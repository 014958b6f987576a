import { createHash, createHmac, randomUUID } from 'node:crypto';

/** What a token says about its bearer. */
type Claims = Record<string, unknown>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(header: Claims, claims: Claims, key: string, hash = 'sha256'): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };

/** API keys of one user: one that serves, and two that did. */
export interface ApiKeys {
  valid: string;
  revoked: string;
  expired: string;
}

/** Invalid API keys: invented, revoked or expired, by their defect. */
function worthlessKeys({ valid, revoked, expired }: ApiKeys): Array<[string, string]> {
  const last = valid.at(-1) === 'A' ? 'B' : 'A';
  return [
    ['a revoked key', revoked],
    ['an expired key', expired],
    ['a key with another end', `${valid.slice(0, -1)}${last}`],
    ['a key without its end', valid.slice(0, -1)],
    ['a key with more at its end', `${valid}A`],
    ['a key in capitals', valid.toUpperCase()],
    ['what is shown of a key', valid.slice(0, 8)],
    ['what is stored of a key', createHash('sha256').update(valid).digest('hex')],
    ['a key without its mark', valid.slice('cmp_'.length)],
    ['a key nobody was given', `cmp_${'A'.repeat(valid.length - 'cmp_'.length)}`],
  ];
}

/**
 * `authorization` headers that must not let anybody in, by what is wrong with them; undefined: none is sent. `token` holds, was issued
 * with the key `secret`, and says who is asked for; `revoked` did hold. `keys` are of the same user.
 */
export function worthlessAuthorizations(
  token: string,
  { secret, revoked, otherUserId, keys }: { secret: string; revoked: string; otherUserId: number; keys: ApiKeys },
): Array<[what: string, authorization: string | undefined]> {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const key = 'another key, also long enough for HS256';
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const forged: Array<[string, string]> = [
    ['an expired one', signed(HS256, { ...claims, iat: nowSeconds - 9, exp: nowSeconds - 1 }, secret)],
    ['one without an expiry', signed(HS256, { ...claims, exp: undefined }, secret)],
    ['a revoked one', revoked],
    ['one with alg none', `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`],
    ['one with alg NONE and a signature', `${encoded({ alg: 'NONE' })}.${payload}.${signature}`],
    ['one without its signature', `${head}.${payload}`],
    ['one of our key by another algorithm', signed({ alg: 'HS512', typ: 'JWT' }, claims, secret, 'sha512')],
    ['one signed with another key', signed(HS256, claims, key)],
    ['one signed with the empty key', signed(HS256, claims, '')],
    [
      "one with another user's id, signed with another key",
      signed(HS256, { ...claims, sub: String(otherUserId) }, key),
    ],
    [
      "one with another user's id under an old signature",
      `${head}.${encoded({ ...claims, sub: String(otherUserId) })}.${signature}`,
    ],
    ['one of a user who is not', signed(HS256, { ...claims, sub: '987654321', jti: randomUUID() }, secret)],
    ['one of no number', signed(HS256, { ...claims, sub: "1' or '1'='1" }, secret)],
    ['one of an older generation', signed(HS256, { ...claims, gen: -1, jti: randomUUID() }, secret)],
    ['one for somebody else', signed(HS256, { ...claims, aud: 'elsewhere' }, secret)],
    ['one by somebody else', signed(HS256, { ...claims, iss: 'elsewhere' }, secret)],
    ...worthlessKeys(keys),
    ['a malformed one', 'no.token.atall'],
    ['a word', 'letmein'],
    ['a very long one', 'a'.repeat(8_000)],
  ];
  return [
    ['nothing', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['the token alone', token],
    ['the scheme Basic', `Basic ${token}`],
    ['the scheme Token', `Token ${token}`],
    ['the key alone', keys.valid],
    ['the scheme Basic with a key', `Basic ${keys.valid}`],
    ['two of them', `Bearer ${token}, Bearer ${token}`],
    ...forged.map(([what, value]): [string, string] => [what, `Bearer ${value}`]),
  ];
}
