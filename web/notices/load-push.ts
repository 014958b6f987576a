import { storedPushKey } from './stored-push-key.ts';

// How it is done is loaded where this browser is told something, and by nobody else.

/** Where this browser is told something: that goes on, as today's page has it. */
export async function resumePush(): Promise<void> {
  if (storedPushKey() !== undefined) await (await import('./push.ts')).renewPush();
}

/** Whoever signs in here next is to hear nothing of it. */
export async function stopPush(): Promise<void> {
  if (storedPushKey() !== undefined) await (await import('./push.ts')).disablePush();
}
