/**
 * Returns the browser's language, with its country if known. Undefined if `Intl` does not take it: without a system language Chromium
 * reports `en-US@posix`.
 */
export function browserLocale(): string | undefined {
  const [tag = ''] = navigator.language.split('@');
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
