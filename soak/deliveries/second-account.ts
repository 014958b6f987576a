/** A workspace with two accounts, of which one is logged out in the middle: the other sends what it has not tried. */
import { sleep } from '../../src/platform/time/time.ts';
import type { Behaviour } from '../../test/witness/protocol.ts';
import type { Ask } from './ask.ts';
import type { Units } from './fleet.ts';
import type { Sender } from './senders.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const HAND_OVER_EVERY_MS = 500;
const RECORDED_MS = 1_500;

/** Adds a second account to the sender's workspace, which sends to half of the groups. Resolves to its id. */
export async function addSecond(sender: Sender, ask: Ask): Promise<number> {
  const { data } = await ask<{ account_id: AccountId }>(sender, 'venom/add-account', {
    name: 'Second number',
    messenger: 'sandbox',
    whatsapp_number: '+44 20 7946 0123',
  });
  const { account_id } = data;
  await ask(sender, 'venom/connect-account', { account_id, method: 'qr' });
  await ask(sender, 'venom/sync-groups', { account_id });
  const half = sender.groups.slice(0, Math.ceil(sender.groups.length / 2));
  await ask(sender, 'venom/set-senders', {
    group_metadata_ids: half.map(({ groupId }) => groupId),
    account_ids: [account_id, sender.accountId],
  });
  return account_id;
}

/**
 * Logs the second accounts out at the messaging application. Until stopped, their owners hand over what has not been tried: also what has
 * begun since, as long as the workspace does not pass the account over. `onHandedOver` is told how many deliveries each time.
 */
export async function loseSeconds({
  fleet,
  senders,
  ask,
  behaviour,
  onHandedOver,
  stop,
}: {
  fleet: Units;
  senders: readonly Sender[];
  ask: Ask;
  behaviour: Behaviour;
  onHandedOver: (deliveries: number) => void;
  stop: AbortSignal;
}): Promise<void> {
  const lost = senders.flatMap(({ second, ...sender }) => (second === undefined ? [] : [{ sender, second }]));
  if (lost.length === 0) return;
  await fleet.witness.behave({ ...behaviour, loggedOut: lost.map(({ second }) => second) });
  while (!stop.aborted) {
    for (const { sender, second } of lost) {
      const path = 'venom/hand-over-deliveries';
      const { data } = await ask<{ handed_over: number } | null>(sender, path, { account_id: second });
      onHandedOver(data?.handed_over ?? 0);
    }
    await sleep(HAND_OVER_EVERY_MS, stop);
  }
}

/** Links the second account again, if there is one. It repeats what it may have sent, and sends the rest. */
export async function connectSecond({ second, ...sender }: Sender, ask: Ask): Promise<void> {
  if (second === undefined) return;
  const connect = () => ask(sender, 'venom/connect-account', { account_id: second, method: 'qr' });
  await connect();
  // A worker may only now record that the account was logged out.
  await sleep(RECORDED_MS);
  await connect();
}
