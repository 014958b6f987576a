/** The first that an agent names counts: most name others, too, to pass for them. */
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

/** What people call a device, out of the `user-agent` that it sent: `Firefox, Linux`, or how a program calls itself. Empty when it did not say. */
export function deviceName(agent: string): string {
  const named = [BROWSERS, SYSTEMS].map((all) => all.find(([, pattern]) => pattern.test(agent))?.[0]);
  if (named[0] !== undefined) return named.filter((name) => name !== undefined).join(', ');
  return (agent.split(' ', 1)[0] ?? '').slice(0, LONGEST);
}
