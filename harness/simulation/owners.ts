/** The users of a simulated world, with their accounts and groups. */
import type { Database } from '../../src/platform/database/statements.ts';
import { createOwner, type Owner } from '../../test/support/ledger.ts';
import { pick, seededRandom } from '../../test/support/inputs/random.ts';
import { addWays } from '../../test/support/several-accounts.ts';
import { openProcess } from './virtual-time.ts';
import { addFurther, type FurtherPlan } from './several-accounts.ts';
import type { World } from './world.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

/** The last groups of each owner. */
const CHANNELS = 1;

/** Of owners. Their clocks change at other times than Berlin's, by half an hour, or never, and are ahead by odd parts of an hour. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
];

async function setTimeZone(db: Database, { userId }: Owner, timeZone: string): Promise<void> {
  await db.updateTable('users').set({ time_zone: timeZone }).where('user_id', '=', userId).execute();
}

async function makeChannels(db: Database, groupIds: readonly number[]): Promise<void> {
  await db.updateTable('groups').set({ kind: 'channel' }).where('group_id', 'in', groupIds).execute();
}

/** An owner, and the accounts of the workspace beside the default one. */
export interface SimulatedOwner extends Owner {
  further: readonly AccountId[];
}

/** Returns all accounts of an owner, the default one first. */
export const accountsOf = ({ accountId, further }: SimulatedOwner): AccountId[] => [accountId, ...further];

/** Creates owners with so many groups each, the first `webhooks` of them with a webhook, and without faults. */
export async function createOwners(
  { gate, witness, receiver, history, perform }: Pick<World, 'gate' | 'witness' | 'receiver' | 'history' | 'perform'>,
  {
    seed,
    sizes,
    webhooks,
    further,
  }: {
    seed: number;
    sizes: readonly number[];
    webhooks: number;
    further: ReadonlyArray<FurtherPlan | undefined>;
  },
): Promise<SimulatedOwner[]> {
  const setup = openProcess('setup');
  const db = gate.open(setup);
  const zones = seededRandom(seed ^ 0x20e5);
  // Of their own, so that further accounts move nothing else.
  const accounts = seededRandom(seed ^ 0xacc0);
  const owners: SimulatedOwner[] = [];
  for (const groups of sizes) {
    const owner = await perform(setup, () => createOwner(db, groups));
    const { accountId, groupIds } = owner;
    const channelIds = groupIds.slice(-CHANNELS);
    await perform(setup, () => makeChannels(db, channelIds));
    await perform(setup, () => addWays(db, accountId, groupIds, true));
    const timeZone = pick(zones, ZONES);
    await perform(setup, () => setTimeZone(db, owner, timeZone));
    const hasWebhook = owners.length < webhooks;
    if (hasWebhook) await perform(setup, () => receiver.register(db, owner));
    const chats = groupIds.map((_, index) => `${accountId}-${index + 1}@g.us`);
    for (const [index, chatId] of chats.entries()) {
      const kind = index < chats.length - CHANNELS ? 'group' : 'channel';
      witness.chats.add(accountId, { chatId, kind, name: `Group ${index + 1}` });
    }
    const plan = further[owners.length];
    const added = plan && (await perform(setup, () => addFurther(db, owner, plan, accounts)));
    const own = (added?.accounts ?? []).map((one) => ({
      accountId: one.accountId,
      chats: chats.filter((_, index) => one.groupIds.includes(groupIds[index] ?? Number.NaN)),
    }));
    for (const one of own)
      for (const [index, chatId] of chats.entries()) {
        const kind = index < chats.length - CHANNELS ? 'group' : 'channel';
        // An account that is no member of a chat yet may join it later.
        const membership = one.chats.includes(chatId) ? 'member' : 'gone';
        witness.chats.add(one.accountId, { chatId, kind, name: `Group ${index + 1}` }, membership);
      }
    owners.push({ ...owner, further: own.map(({ accountId: id }) => id) });
    history.add({
      kind: 'owner',
      accountId,
      timeZone,
      chats,
      groupIds,
      channelIds,
      hasWebhook,
      ...(added && plan && { further: own, failoverMinutes: plan.failover.failoverMinutes, rules: added.rules }),
    });
  }
  setup.isDead = true;
  return owners;
}
