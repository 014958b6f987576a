import { locale, t } from '../i18n/translate.ts';

const KILO = 1_024;
const whole = new Intl.NumberFormat(locale);
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const signedInteger = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' });
const signed = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** Formats a number with grouped thousands; a dash for null. */
export function count(value: number | null): string {
  return value === null ? t('common.unknown') : whole.format(value);
}

/** Formats a share as a percentage; a dash for null. Only exactly 1 is 100 %, only exactly 0 is 0 %. */
export function share(value: number | null): string {
  if (value === null) return t('common.unknown');
  const shown = value > 0.99 && value < 1 ? 0.99 : value > 0 && value < 0.01 ? 0.01 : value;
  return percent.format(shown);
}

/** What follows a percentage in the language of the reader: "%", with a space where there is one. */
export function percentSuffix(): string {
  return percent.format(1).replace('100', '');
}

/** "+12%", "−3%" */
export function signedShare(value: number): string {
  return signed.format(value);
}

/** "+3", "-3" */
export function signedCount(value: number): string {
  return signedInteger.format(value);
}

/** "340 kB", "12 bytes", in units of 1,024 as the limits are. */
export function fileSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = units.findLastIndex((_, at) => at === 0 || bytes >= KILO ** at);
  const unit = units[power];
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(bytes / KILO ** power);
}
