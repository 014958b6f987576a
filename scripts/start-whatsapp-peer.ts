/**
 * The peer for people: `npx node scripts/start-whatsapp-peer.ts [--number 491511234567] [--port 4080] [qr or pairing code …]`. Prints the variables
 * to start the service with, links what is pasted to its phone, and prints every post that arrives.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startWhatsAppPeer, type WhatsAppPeer } from '../harness/whatsapp-peer/peer.ts';
import { addChannel, addCommunity, addGroup, type Person } from '../harness/whatsapp-peer/world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    number: { type: 'string', default: '491511234567' },
    port: { type: 'string', default: '4080' },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

const peer = await startWhatsAppPeer({ port: Number(values.port) });
const phone = peer.addPerson(values.number.replaceAll(/\D/g, ''));
populate(peer, phone);
const certificate = join(await mkdtemp(join(tmpdir(), 'whatsapp-peer-')), 'media-host.pem');
await writeFile(certificate, peer.certificate);
say(`Start the service with:

MESSENGER=whatsapp WHATSAPP_URL=${peer.url} WHATSAPP_ROOT_KEY=${peer.rootKey} WHATSAPP_CA_FILE=${certificate} WHATSAPP_REST_AFTER_LINK_MINUTES=0 npm start

Sign up with whatsapp_number ${phone.number}, then paste what connect-account answers: the qr, or the pairing code.`);

let shown = 0;
setInterval(() => {
  for (const { chatId, device, text, media } of peer.arrivals.slice(shown))
    say(`${chatId} on ${device}: ${media ? `[${media.mime}, ${media.bytes.length} bytes] ` : ''}${text}`);
  shown = peer.arrivals.length;
}, 200).unref();

for (const code of positionals) await link(code);
for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') await link(line.trim());

/** The content of a QR code has commas, and a pairing code has none. */
async function link(code: string): Promise<void> {
  try {
    const { device } = await (code.includes(',') ? peer.scan(phone, code) : peer.enter(phone, withoutDash(code)));
    say(`Linked as device ${device} of ${phone.number}.`);
  } catch (error) {
    say(`Not linked: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function withoutDash(code: string): string {
  return code.replaceAll('-', '').toUpperCase();
}

/** Something to post to from the start. */
function populate({ world, addPerson }: WhatsAppPeer, owner: Person): void {
  const members = Array.from({ length: 12 }, (_, index) => addPerson(`1555${String(index).padStart(7, '0')}`));
  addGroup(world, owner, { subject: 'Running club' }, members);
  addGroup(world, owner, { subject: 'Chess friends' }, members.slice(0, 3));
  addCommunity(world, owner, 'Old town', 'Everybody between the river and the wall');
  addChannel(world, owner, { name: 'Town news', followers: 40 });
}
