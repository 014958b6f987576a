/** Web Push: notices in this browser while the dashboard is closed. Only a click asks for permission. */
import { call } from '../api/call.ts';
import { storePushKey, storedPushKey } from './stored-push-key.ts';
import workerUrl from './push-worker.ts?worker&url';

type PushState = 'unsupported' | 'denied' | 'off' | 'on';

/** Service workers need a secure context, and not every browser supports push. */
function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

export async function readPushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await findSubscription()) ? 'on' : 'off';
}

/** Asks for permission and subscribes this browser. Resolves to the new state. Must be called from a click. */
export async function enablePush(publicKey: string): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  await subscribe(publicKey);
  storePushKey(publicKey);
  return 'on';
}

/** Unsubscribes this browser. The service learns it from the push service, the next time it sends. */
export async function disablePush(): Promise<void> {
  storePushKey(undefined);
  if (!isSupported()) return;
  await (await findSubscription())?.unsubscribe();
}

/** Where this browser is told: says so again, since browsers change their endpoints. */
export async function renewPush(): Promise<void> {
  const publicKey = storedPushKey();
  if (publicKey !== undefined && isSupported() && Notification.permission === 'granted') await subscribe(publicKey);
}

async function subscribe(publicKey: string): Promise<void> {
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

/** `serviceWorker.ready` is for workers that control the page, and this one controls none. */
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
