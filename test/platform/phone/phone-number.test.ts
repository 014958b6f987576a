import { expect, test } from 'vitest';
import { isSameNumber, phoneDigits, spellingsOf } from '../../../src/platform/phone/phone-number.ts';

test.each([
  ['+49 (151) 23-45678', '491512345678'],
  ['0049.151/2345678 ext. 6', '491512345678'],
  ['whatsapp:+491512345678', '491512345678'],
  ['491512345678:12@s.whatsapp.net', '491512345678'],
  ['\u202a+49 151 2345678\u202c', '491512345678'],
  ['＋４９ 151 2345678', '491512345678'],
  ['+٤٩ ١٥١ ٢٣٤٥٦٧٨', '491512345678'],
  ['491512', undefined],
  ['phone', undefined],
])('the digits of %j are %s', (number, digits) => {
  expect(phoneDigits(number)).toBe(digits);
});

test.each([
  ['491511234567', '491511234567', true],
  ['491511234567', '491511234568', false],
  ['5531987654321', '553187654321', true],
  ['553187654321', '5531987654321', true],
  ['5215512345678', '525512345678', true],
  ['5491123456789', '541123456789', true],
  ['553187654321', '553187654322', false],
])('compares the numbers %s and %s: %s', (one, other, same) => {
  expect(isSameNumber(one, other)).toBe(same);
});

test.each([
  ['491511234567', ['491511234567']],
  ['5511912345678', ['551112345678', '5511912345678']],
  ['551112345678', ['551112345678', '5511912345678']],
  ['5215512345678', ['525512345678', '5215512345678']],
  ['5491123456789', ['541123456789', '5491123456789']],
])('the spellings of %s are %s', (digits, spellings) => {
  expect(spellingsOf(digits)).toEqual(spellings);
});
