/**
 * What one process holds with fifty linked accounts that post to groups of a thousand members, each member with two devices: its
 * memory, and the work of the first post of each account, which brings a key to every device, and of the next.
 */
import { sleep } from '../src/platform/time/time.ts';
import { removeService, startService, type Service } from '../test/support/service/service.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../test/whatsapp-peer/peer.ts';
import { addGroup, type Person } from '../test/whatsapp-peer/world.ts';
import { cpuMs } from './support/cpu.ts';
import { memoryMb } from './support/memory.ts';
import { count, type Row } from './support/table.ts';
import { until } from './support/until.ts';
import { linkSender, type Sender } from '../soak/whatsapp/senders.ts';

const ACCOUNTS = 50;
const QUICK_POSTING = 5;
const MEMBERS = 1_000;
const OTHER_DEVICES = [2];
/** How often the peer's record of messages is cleared, so that the peer is not the part that grows. */
const POLL_MS = 200;

export async function benchWhatsAppAccounts({ quick }: { quick: boolean }): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const peer = await startWhatsAppPeer();
  const service = await startService({ environment: peer.environment });
  try {
    return await measure(service, peer, quick ? QUICK_POSTING : ACCOUNTS);
  } finally {
    await service.stop();
    await removeService(service);
    await peer.stop();
  }
}

async function measure(service: Service, peer: WhatsAppPeer, posting: number): Promise<Row[]> {
  const before = await memoryMb(service, 'VmRSS');
  const senders: Sender[] = [];
  while (senders.length < ACCOUNTS)
    senders.push(await linkSender(service.url, peer, `4915900${String(senders.length).padStart(6, '0')}`));
  await sleep(10_000);
  const idle = await memoryMb(service, 'VmRSS');
  console.log(`  nobody linked ${before} MB, ${ACCOUNTS} idle accounts ${idle} MB`);

  const members = await addMembers(peer);
  for (const { companion } of senders) addGroup(peer.world, companion.person, { subject: 'Large' }, members);
  const some = senders.slice(0, posting);
  const first = await postFromEach(service, peer, some);
  console.log(`  first posts of ${posting}: ${inWords(first)}`);
  const next = await postFromEach(service, peer, some);
  console.log(`  next posts of ${posting}: ${inWords(next)}`);
  const row = (what: string, ours: string): Row => ({
    what,
    ours,
    yardstick: 'none',
    reach: 'for the docs',
    reached: true,
  });
  return [
    row(`${ACCOUNTS} linked accounts, idle`, `${idle} MB, of which ${before} MB without them`),
    row(`first posts of ${posting} accounts to ${count(MEMBERS)} members × 2 devices`, inWords(first)),
    row(`next posts of ${posting} accounts`, inWords(next)),
  ];
}

async function addMembers(peer: WhatsAppPeer): Promise<Person[]> {
  const members: Person[] = [];
  while (members.length < MEMBERS) {
    const member = peer.addPerson(`1555${String(members.length).padStart(7, '0')}`, OTHER_DEVICES);
    // To read all this would be the work of a thousand phones, and here it would be this machine's.
    member.isAway = true;
    members.push(member);
    // It takes some milliseconds, and the peer has to be there meanwhile.
    await sleep(0);
  }
  return members;
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
    const { groups } = await client.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    ids.push(groups.map((group) => group.group_metadata_id));
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
