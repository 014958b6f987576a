/**
 * The language of the browser, with its country where it says one, as `Intl` takes it; undefined where it says none that `Intl` takes:
 * where the system has no language, Chromium says `en-US@posix`.
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
