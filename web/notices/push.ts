/** Being told in this browser while the dashboard is closed. Only a click asks for it. */
import { call } from '../api/call.ts';
import { words } from '../words/words.ts';
import { storePushKey, storedPushKey } from './stored-push-key.ts';
import workerUrl from './push-worker.ts?worker&url';

export type PushState = 'unsupported' | 'denied' | 'off' | 'on';

/** Only a page that came safely has a service worker, and not every browser can be pushed to. */
function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

export async function readPushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await findSubscription()) ? 'on' : 'off';
}

/** Asks for permission, and has this browser told. Resolves to what came of it. To be called from a click. */
export async function enablePush(publicKey: string): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  await subscribe(publicKey);
  storePushKey(publicKey);
  return 'on';
}

/** This browser is told nothing more: its push service says so to the server, the next time that this one asks. */
export async function disablePush(): Promise<void> {
  storePushKey(undefined);
  if (!isSupported()) return;
  await (await findSubscription())?.unsubscribe();
}

/** Where this browser is told: says so again, since browsers change their endpoints, and leaves today's words for the worker. */
export async function renewPush(): Promise<void> {
  const publicKey = storedPushKey();
  if (publicKey !== undefined && isSupported() && Notification.permission === 'granted') await subscribe(publicKey);
}

async function subscribe(publicKey: string): Promise<void> {
  await storePushTexts();
  await navigator.serviceWorker.register(workerUrl);
  const registration = await readyRegistration();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint, keys = {} } = subscription.toJSON();
  await call('user/subscribe_push', {
    endpoint: endpoint ?? '',
    p256dh: keys['p256dh'] ?? '',
    auth: keys['auth'] ?? '',
  });
}

async function findRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  return navigator.serviceWorker.getRegistration(new URL('.', new URL(workerUrl, location.href)).href);
}

/** `ready` is for the page's own worker alone, and this one has no pages. */
async function readyRegistration(): Promise<ServiceWorkerRegistration> {
  const registration = await findRegistration();
  if (!registration) throw new Error('the service worker is gone');
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  if (worker && worker.state !== 'activated')
    await new Promise<void>((resolve, reject) => {
      worker.addEventListener('statechange', () => {
        if (worker.state === 'activated') resolve();
        if (worker.state === 'redundant') reject(new Error('the service worker could not be installed'));
      });
    });
  return registration;
}

async function findSubscription(): Promise<PushSubscription | null> {
  return (await (await findRegistration())?.pushManager.getSubscription()) ?? null;
}

/** In the language that is spoken now. */
async function storePushTexts(): Promise<void> {
  const kept = await caches.open('campanile-notices');
  await kept.put('/notice-words', Response.json(words.notices.kinds));
}
