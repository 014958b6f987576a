/** A thread in which a number of strangers sign in with unknown user names, again and again, until it is terminated. */
import { randomBytes } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { sleep } from '../../../src/platform/time/time.ts';

const PAUSE_MS = 500;
const { url, strangers } = workerData as { url: string; strangers: number };

async function signInWrongly(): Promise<string> {
  const user_name = `nobody-${randomBytes(8).toString('hex')}`;
  const answer = await fetch(`${url}/api/v1/user/authorize_user`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_name, password: 'a wrong password' }),
  });
  return answer.text();
}

async function goOn(): Promise<never> {
  for (;;) {
    // Whatever comes of it: who misbehaves does not care.
    await Promise.allSettled([signInWrongly()]);
    await sleep(PAUSE_MS);
  }
}

await Promise.all(Array.from({ length: strangers }, goOn));
