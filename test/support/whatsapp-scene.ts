import { afterAll, afterEach } from 'vitest';
import type { Config } from '../../src/platform/config/config.ts';
import type { WhatsAppOptions } from '../../src/messengers/whatsapp/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from '../../harness/whatsapp-peer/world.ts';
import { startTestApp, type Call, type Person, type TestApp } from './app.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

import { addMembers, finished, linkSomebody, towards, type Linked, type Progress } from './whatsapp.ts';

/** A service and a WhatsApp peer for all tests of a file; the behaviour of the peer is reset after each test. */
export interface WhatsAppScene {
  peer: WhatsAppPeer;
  database: TestDatabase;
  /** Two people with three devices: `allOnce` returns how often a post to them is shown. */
  members: PeerPerson[];
  /** The running service. */
  readonly app: TestApp;
  /** Creates a user with a linked account and groups of the members. The user stays signed in across restarts. */
  linked(groups: number): Promise<Linked>;
  /** Waits until a campaign has no queued deliveries. */
  finished(person: Person, campaignId: string): Promise<Progress>;
  stop(): Promise<void>;
  /** Starts the service again after `stop`, on the same database. */
  start(timing?: WhatsAppOptions['timing']): Promise<void>;
  /** Restarts the service. */
  restart(timing?: WhatsAppOptions['timing']): Promise<void>;
}

/** Await it at the top of a file. It cleans up by itself. */
export async function setWhatsAppScene(
  timing?: WhatsAppOptions['timing'],
  overrides: Partial<Config> = {},
): Promise<WhatsAppScene> {
  const peer = await startWhatsAppPeer();
  const database = await createTestDatabase();
  const members = addMembers(peer);
  const startApp = (how: WhatsAppOptions['timing']) =>
    startTestApp({ ...towards(peer), ...overrides }, database, undefined, how);
  let app = await startApp(timing);
  afterEach(() => peer.behave());
  afterAll(async () => {
    await app.stop();
    await peer.stop();
    await database.drop();
  });
  const stop = () => app.stop();
  async function start(how = timing): Promise<void> {
    app = await startApp(how);
  }
  return {
    peer,
    database,
    members,
    get app() {
      return app;
    },
    async linked(groups) {
      const somebody = await linkSomebody({ peer, app, members }, groups);
      const { token } = somebody.person;
      const call = ((path, body) => app.call(path, body, token)) as Call;
      return { ...somebody, person: { ...somebody.person, call } };
    },
    finished: (person, campaignId) => finished(app, person, campaignId),
    stop,
    start,
    async restart(how) {
      await stop();
      await start(how);
    },
  };
}
