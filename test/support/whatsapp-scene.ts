import { afterAll, afterEach } from 'vitest';
import type { Config } from '../../src/platform/config/config.ts';
import type { WhatsAppOptions } from '../../src/messengers/whatsapp/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from '../whatsapp-peer/world.ts';
import { startTestApp, type Call, type Person, type TestApp } from './app.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

import { addMembers, finished, linkSomebody, towards, type Linked, type Progress } from './whatsapp.ts';

/** A service and a WhatsApp of its own, for all tests of a file; the peer behaves again after each of them. */
export interface WhatsAppScene {
  peer: WhatsAppPeer;
  database: TestDatabase;
  /** Two people with three devices: `allOnce` knows how often a post to them is shown. */
  members: PeerPerson[];
  /** The service as it runs now. */
  readonly app: TestApp;
  /** Creates a user with a linked account and a number of groups with the members. They stay signed in when the app restarts. */
  linked(groups: number): Promise<Linked>;
  /** Waits until nothing of a campaign is queued any more. */
  finished(person: Person, campaignId: string): Promise<Progress>;
  stop(): Promise<void>;
  /** After `stop`, on the same database. */
  start(timing?: WhatsAppOptions['timing']): Promise<void>;
  /** Stops the service and starts it. */
  restart(timing?: WhatsAppOptions['timing']): Promise<void>;
}

/** To be awaited at the top of a file, which need not clear anything away. */
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
