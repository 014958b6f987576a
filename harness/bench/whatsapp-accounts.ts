/**
 * What one process holds with fifty linked accounts that post to groups of a thousand members, each member with two devices: its
 * memory, and the work of the first post of each account, which brings a key to every device, and of the next.
 */
import { sleep } from '../../src/platform/time/time.ts';
import type { Service } from '../../test/support/service/service.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../whatsapp-peer/peer.ts';
import { addGroup } from '../whatsapp-peer/world.ts';
import { addMembers } from './support/add-members.ts';
import { listGroupIds } from './support/client.ts';
import { cpuMs } from './support/cpu.ts';
import { memoryMb } from './support/memory.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, plainRow } from './support/table.ts';
import { until } from './support/until.ts';
import { linkSender, type Sender } from '../soak/whatsapp/senders.ts';

const OTHER_DEVICES = [2];
/** How often the peer's record of messages is cleared, so that the peer is not the part that grows. */
const POLL_MS = 200;

export async function benchWhatsAppAccounts({ pick, report }: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  const accounts = pick(50, 50, 2);
  const posting = pick(accounts, 5, 1);
  const size = pick(1_000, 1_000, 5);
  await using undo = new AsyncDisposableStack();
  const peer = await startWhatsAppPeer();
  undo.defer(() => peer.stop());
  const service = undo.use(await startBenchService({ environment: peer.environment }));
  const before = await memoryMb(service, 'VmRSS');
  const senders: Sender[] = [];
  await report(`${accounts} linked accounts, idle`, async () => {
    while (senders.length < accounts)
      senders.push(await linkSender(service.url, peer, `4915900${String(senders.length).padStart(6, '0')}`));
    await sleep(pick(10_000, 10_000, 0));
    const idle = await memoryMb(service, 'VmRSS');
    return plainRow(`${accounts} linked accounts, idle`, idle, `${idle} MB, of which ${before} MB without them`);
  });
  const members = await addMembers(peer, size, { prefix: '155500', devices: OTHER_DEVICES });
  for (const { companion } of senders) addGroup(peer.world, companion.person, { subject: 'Large' }, members);
  const some = senders.slice(0, posting);
  const devices = `${count(size)} members × 2 devices`;
  for (const what of [`first posts of ${posting} accounts to ${devices}`, `next posts of ${posting} accounts`])
    await report(what, async () => {
      const cost = await postFromEach(service, peer, some);
      return plainRow(what, cost.eachCpuMs, inWords(cost));
    });
}

interface Cost {
  /** For each account, in milliseconds: of time, and of the process's work. */
  eachMs: number;
  eachCpuMs: number;
  peakMb: number;
  afterMb: number;
}

async function postFromEach(service: Service, peer: WhatsAppPeer, senders: readonly Sender[]): Promise<Cost> {
  const ids: number[][] = [];
  for (const { client } of senders) {
    await client.call('venom/sync-groups');
    ids.push(await listGroupIds(client));
  }
  const cpuBefore = await cpuMs(service);
  const startedAt = performance.now();
  let peakMb = 0;
  for (const [index, { client }] of senders.entries()) {
    const campaign = { name: 'Large', html: 'Hello', group_metadata_ids: ids[index] };
    const { campaign_id } = await client.call<{ campaign_id: string }>('venom/add-campaign', campaign);
    await until('the word that it is sent', async () => {
      await sleep(POLL_MS);
      peer.received.length = 0;
      peer.handedOut.length = 0;
      peakMb = Math.max(peakMb, await memoryMb(service, 'VmRSS'));
      const path = 'analytics/get-campaign-group-analytics-master';
      return (await client.call<{ totals: { sent: number } }>(path, { campaign_id })).totals.sent === 1;
    });
  }
  return {
    eachMs: (performance.now() - startedAt) / senders.length,
    eachCpuMs: ((await cpuMs(service)) - cpuBefore) / senders.length,
    peakMb,
    afterMb: await memoryMb(service, 'VmRSS'),
  };
}

function inWords({ eachMs, eachCpuMs, peakMb, afterMb }: Cost): string {
  return `${count(eachMs)} ms and ${count(eachCpuMs)} ms of CPU each, peak ${peakMb} MB, then ${afterMb} MB`;
}
