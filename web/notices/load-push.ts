import { storedPushKey } from './stored-push-key.ts';

// The push module is loaded only in browsers that have subscribed.

/** Renews the subscription of this browser, if it has one. */
export async function resumePush(): Promise<void> {
  if (storedPushKey() !== undefined) await (await import('./push.ts')).renewPush();
}

/** Ends the subscription of this browser: the next user must not get these notices. */
export async function stopPush(): Promise<void> {
  if (storedPushKey() !== undefined) await (await import('./push.ts')).disablePush();
}
