/** The first match counts: most user agents also name other browsers. */
const BROWSERS = [
  ['Edge', /\bEdg(A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;
const LONGEST = 40;

/** Returns the device of a `user-agent` header: `Firefox, Linux`, or the program's name. Empty if there was none. */
export function deviceName(agent: string): string {
  const named = [BROWSERS, SYSTEMS].map((all) => all.find(([, pattern]) => pattern.test(agent))?.[0]);
  if (named[0] !== undefined) return named.filter((name) => name !== undefined).join(', ');
  return (agent.split(' ', 1)[0] ?? '').slice(0, LONGEST);
}
