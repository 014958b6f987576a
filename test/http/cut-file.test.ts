import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutFile } from '../../src/http/edge/cut-file.ts';
import { decodeBase64 } from '../../src/media/decode-base64.ts';

/** What the server makes of a body with its file cut out, put together again. */
function throughCut(json: string): unknown {
  const cut = cutFile(Buffer.from(json), 'image');
  if (!cut) return JSON.parse(json);
  const body = JSON.parse(cut.rest.toString()) as Record<string, unknown>;
  return body['image'] === cut.standIn ? { ...body, image: cut.file.toString('latin1') } : body;
}

const base64 = fc.stringMatching(/^[A-Za-z0-9+/=\r\n\t]{0,80}$/);
const json = fc.jsonValue();

test('a body whose file was cut out says the same as before, wherever the file stands', () => {
  fc.assert(
    fc.property(base64, fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (image, before, after) => {
      for (const space of [undefined, 1]) {
        const text = JSON.stringify({ ...before, image, ...after, image2: 'x' }, null, space);
        const escaped = text.replaceAll('/', '\\/');
        expect(throughCut(text)).toEqual(JSON.parse(text));
        expect(throughCut(escaped)).toEqual(JSON.parse(text));
      }
    }),
  );
});

test('only the top-level field is taken, and of repeated ones the last counts', () => {
  const cases = [
    '{"a":{"image":"AAAA"},"b":["image"],"c":"image"}',
    '{"image":{"image":"AAAA"}}',
    '{"image":"AAAA","image":"BBBB"}',
    '{"image":"AAAA","im\\u0061ge":"BBBB"}',
    '{"x":"\\"image\\":\\"no\\"","image" \n: "AAAA\\n=="}',
    '{"x":"\\\\","image":"AAAA"}',
    '{"image":null}',
    '{"image":"\\u0041AAA"}',
    '["image","AAAA"]',
    '{}',
  ];
  for (const text of cases) expect(throughCut(text), text).toEqual(JSON.parse(text));
});

test('what is no JSON stays none', () => {
  for (const text of [
    '{"image":"AAAA',
    '{"image":"AAAA"',
    '{"image',
    '{"image":',
    '"image":"AAAA"',
    '{"image":"AAAA"}}',
  ]) {
    const cut = cutFile(Buffer.from(text), 'image');
    expect(() => JSON.parse(cut ? cut.rest.toString() : text), text).toThrow(SyntaxError);
  }
});

test('two files never have the same stand-in', () => {
  const standIn = (image: string) => cutFile(Buffer.from(JSON.stringify({ image })), 'image')?.standIn;
  expect(standIn('AAAA')).not.toBe(standIn('AAAB'));
});

test('base64 decoded in its own memory comes to the same as decoded from a string', () => {
  const long = randomBytes(200_000).toString('base64');
  const lines = long.replaceAll(/(.{76})/g, '$1\r\n');
  const plain = ['', 'QQ==', 'QUI=', 'QUJD', 'QQ', 'QR==', 'Q Q = =', 'QQ==QQ==', 'Q*==', 'QUJD\u00e9', '   '];
  const space = ' '.repeat(140_000);
  const big = [long, lines, ` ${long} `, `${long}=`, `${long.slice(0, 65_534)}==${long}`, `QQ==${space}`];
  const odd = [`Q${space}Q==`, `QQ==${space}Q`, `${space}${long}`, `data:image/png;base64,${lines}`];
  const outcome = (text: string | Buffer) => {
    try {
      const { declared, bytes } = decodeBase64('image', text);
      return { declared, bytes: bytes.toString('hex') };
    } catch (error) {
      return String(error);
    }
  };
  for (const text of [...plain, ...big, ...odd])
    expect(outcome(Buffer.from(text)), text.slice(0, 40)).toEqual(outcome(text));
});
