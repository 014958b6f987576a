/** Shows what a push service hands over, while no page need be open: a service worker, which is built by itself. */

interface Pushed {
  kind: string;
  /** In the language of the user. */
  text: string;
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
  // A browser takes offence at a push of which nothing is shown.
  event.waitUntil(show(pushed ?? { kind: '', text: '', page: '/' }));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { page = '/' } = (event.notification.data ?? {}) as Partial<Pushed>;
  event.waitUntil(open(new URL(page, location.origin)));
});

async function show({ kind, text, page }: Pushed): Promise<void> {
  await worker.registration.showNotification(PRODUCT, {
    body: text,
    // The newest of a kind takes the place of the one before; the bell has them all.
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
