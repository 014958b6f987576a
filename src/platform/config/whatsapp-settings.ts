/** What variables about WhatsApp mean; undefined: they mean nothing. */
import { readFileSync } from 'node:fs';

export function whatsappVersion(text: string): [number, number, number] | undefined {
  const [, first, second, third] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,10})$/.exec(text) ?? [];
  return third === undefined ? undefined : [Number(first), Number(second), Number(third)];
}

export function whatsappRootKey(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

export function certificates(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
}
