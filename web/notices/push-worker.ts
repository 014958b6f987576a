/**
 * The service worker that shows pushes while no page is open. It is built on its own and has no texts; `push.ts` leaves them in its cache.
 */

interface Pushed {
  kind: string;
  count: number;
  name: string;
  page: string;
}

interface LongEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends LongEvent {
  data: { json(): unknown } | null;
}
interface ClickEvent extends LongEvent {
  notification: Notification;
}

/** The part of the service worker API that the DOM types lack. */
interface PushWorker {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: object): Promise<Array<{ url: string; focus(): Promise<unknown> }>>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listener: (event: LongEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
}

const worker = globalThis as unknown as PushWorker;
const PRODUCT = 'Campanile';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const pushed = event.data?.json() as Pushed | undefined;
  // Browsers penalize a push that shows nothing.
  event.waitUntil(show(pushed ?? { kind: '', count: 1, name: '', page: '/' }));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { page = '/' } = (event.notification.data ?? {}) as Partial<Pushed>;
  event.waitUntil(open(new URL(page, location.origin)));
});

async function show({ kind, count, name, page }: Pushed): Promise<void> {
  const kept = await caches.match('/notice-words', { cacheName: 'campanile-notices' });
  const words = (await kept?.json()) as Record<string, { one: string; many: string }> | undefined;
  const said = words?.[kind]?.[count > 1 ? 'many' : 'one'] ?? '{name}';
  await worker.registration.showNotification(PRODUCT, {
    body: said.replace('{name}', name).replace('{count}', String(count)),
    // The newest notice of a kind replaces the one before; the bell lists them all.
    tag: kind,
    data: { page },
  });
}

async function open({ href, origin }: URL): Promise<void> {
  // Open redirect: never opens another origin.
  if (origin !== location.origin) return;
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find(({ url }) => url === href);
  await (shown ? shown.focus() : worker.clients.openWindow(href));
}
