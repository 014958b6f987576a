/** Conditions of WhatsApp that the service has counted in its metrics. */

export type Conditions = Readonly<Record<string, number>>;

const COUNTERS = /^campanile_whatsapp_(?:alarms|conditions)_total\{(?:alarm|condition)="(\w+)"\} (\d+)$/gm;

/** Returns the counters by name. Undefined if the metrics cannot be read, for instance without the token. */
export async function readConditions(url: string, token: string): Promise<Conditions | undefined> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  const page = await fetch(new URL('/metrics', url), { headers })
    .then((answer) => (answer.ok ? answer.text() : undefined))
    // The service is being restarted.
    .catch(() => undefined);
  if (page === undefined) return undefined;
  return Object.fromEntries([...page.matchAll(COUNTERS)].map(([, name = '', count]) => [name, Number(count)]));
}

/** Adds what was counted since `before`. A service that was restarted counts from 0. */
export function addConditions(seen: Conditions, before: Conditions, now: Conditions): Conditions {
  const added = Object.entries(now).map(([name, count]) => {
    const earlier = before[name] ?? 0;
    return [name, (seen[name] ?? 0) + (count < earlier ? count : count - earlier)] as const;
  });
  return { ...seen, ...Object.fromEntries(added) };
}
