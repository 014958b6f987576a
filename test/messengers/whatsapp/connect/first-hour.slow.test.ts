/** The walk through the first hour on WhatsApp, with a simulated operator and simulated phones. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { readPlan } from '../../../../harness/first-hour/read-plan.ts';
import type { Report } from '../../../../harness/first-hour/report.ts';
import { STEPS } from '../../../../harness/first-hour/steps.ts';
import { walkThrough } from '../../../../harness/first-hour/walk-through.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { until } from '../../../support/ledger.ts';
import { OWN_NUMBER, statusOf, towards } from '../../../support/whatsapp.ts';
import { startWhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import { postInGroup, reactionTo, replyTo, sendReceipt } from '../../../../harness/whatsapp-peer/phones.ts';
import { signChallenge } from '../../../../harness/whatsapp-peer/authenticator.ts';
import { sealedVote } from '../../../../harness/whatsapp-peer/seal-vote.ts';
import { SignalDevice } from '../../../../harness/whatsapp-peer/signal-device.ts';
import type { Arrival } from '../../../../harness/whatsapp-peer/state.ts';
import { lidOf, type Group } from '../../../../harness/whatsapp-peer/world.ts';

const peer = await startWhatsAppPeer();
const database = await createTestDatabase();
const phone = peer.addPerson(OWN_NUMBER);
const second = peer.addPerson('4915100000002');
let app: TestApp = await startTestApp(towards(peer), database);
const zoe = await app.signUp('zoe');
const folder = await mkdtemp(join(tmpdir(), 'campanile-first-hour-'));
const path = join(folder, 'report.json');

afterAll(async () => {
  await app.stop();
  await peer.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const companion = () => {
  const [linked] = phone.companions.values();
  if (!linked) throw new Error('nothing is linked');
  return linked;
};

/** The latest post with this text on the second phone, or in the announcements of a community. */
function shown(text: string): Arrival {
  const post = peer.arrivals.findLast((arrival) => arrival.text.includes(text));
  if (!post) throw new Error(`nobody was shown ${text}`);
  return post;
}

async function receive(text: string): Promise<void> {
  const { chatId, messageId } = shown(text);
  await sendReceipt(companion(), { chatId, messageIds: [messageId], by: second, type: 'read' });
}

async function react(text: string): Promise<void> {
  await postInGroup(companion(), { chatId: shown(text).chatId, by: second, message: reactionTo(shown(text)) });
}

/** In whose name votes are encrypted. They cannot be opened if it is another account than the poll's. */
let voteAuthor = phone;

async function vote(option: string): Promise<void> {
  const post = shown('Does this poll');
  const message = sealedVote({ post, author: voteAuthor, by: second }, [option]);
  await postInGroup(companion(), { chatId: post.chatId, by: second, message });
}

function checkGroup(): Group {
  const group = peer.world.groups.get(shown('Campanile').chatId);
  if (!group) throw new Error('there is no group');
  return group;
}

async function restartService(): Promise<void> {
  const port = Number(new URL(app.url).port);
  await app.stop();
  app = await startTestApp({ ...towards(peer), port }, database);
}

function lookAtChannel(): void {
  for (const { posts } of peer.world.channels.values())
    for (const post of posts) Object.assign(post, { views: 3, reactions: { '👍': 1 } });
}

/** The actions and inputs of the operator, by the beginning of the prompt. */
const DOINGS: ReadonlyArray<readonly [string, () => Promise<unknown> | string]> = [
  ['Type qr', () => 'qr'],
  ['Type the number', () => `+${second.number}`],
  ['Open the group', () => Promise.all([receive('Campanile'), receive('orange')])],
  [
    'On the second phone react to the text',
    async () => {
      await react('Campanile');
      const { chatId } = shown('Campanile');
      const message = replyTo(shown('Campanile'), 'I see it');
      await postInGroup(companion(), { chatId, by: second, message });
    },
  ],
  ['On the second phone vote', () => vote('Yes')],
  [
    'Open web.whatsapp.com',
    async () => {
      phone.devices.push(new SignalDevice(`${phone.lid}:9@lid`));
      await peer.tellOwnDevices(companion());
    },
  ],
  ['On the first phone remove', () => peer.leave(checkGroup(), second)],
  [
    'Add the second phone',
    async () => {
      await peer.join(checkGroup(), second);
      const isBack = () => peer.arrivals.some(({ text }) => text.includes('phone is back'));
      void until(isBack, (isThere) => isThere).then(() => receive('phone is back'));
    },
  ],
  [
    'Put the second phone',
    () => {
      second.isAway = true;
      return '';
    },
  ],
  ['Stop the service', restartService],
  [
    'Take the second phone',
    async () => {
      second.isAway = false;
      await until(
        () => companion().connection,
        (connection) => connection !== undefined,
      );
      await receive('while a phone was away');
    },
  ],
  ['Invite the second phone', () => ''],
  ['On the second phone react to the post', () => react('whole community')],
  ['Follow the channel', async () => lookAtChannel()],
  ['Press Enter to unlink', () => ''],
];

/** Runs the command with an operator who answers every prompt up to `quitAt`, and takes a passkey from the phone if asked for it. */
async function check({ quitAt = '', who = zoe, own = phone, report = path } = {}): Promise<{
  code: number;
  said: string;
}> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  let heard = 0;
  const scanned = new Set<string>();
  let [isPasskeyShown, isCompared] = [false, false];
  let doing = Promise.resolve();
  output.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    doing = doing.then(answer);
  });
  async function answer(): Promise<void> {
    const [code] = /^https:\/\/wa\.me\/\S+$/m.exec(said) ?? [];
    if (code !== undefined && !scanned.has(code)) {
      scanned.add(code);
      const linked = peer.scan(own, code);
      if (!peer.script.asksForPasskey) await linked;
    }
    if (said.includes('asks for the passkey') && !isPasskeyShown) {
      isPasskeyShown = true;
      const { passkey } = await statusOf(who);
      const assertion = signChallenge(own, passkey?.request_options ?? { challenge: '', rpId: '' });
      expect((await who.call('venom/submit-passkey', { assertion })).status).toBe(200);
    }
    const [, characters] = /compare them with these: (\w{8})/.exec(said) ?? [];
    if (characters !== undefined && !isCompared) {
      isCompared = true;
      await peer.compare(own, characters);
    }
    const asked = said.slice(heard);
    if (!/(\]|\n>|:) $/.test(asked)) return;
    heard = said.length;
    input.write(`${await typed(asked)}\n`);
  }
  async function typed(asked: string): Promise<string> {
    if (asked.includes('API key')) return who.token;
    if (asked.endsWith('[y / n / ?] ')) return 'y';
    if (asked.includes('Do it, skip it')) return quitAt !== '' && asked.includes(`: ${quitAt}\n`) ? 'q' : '';
    const doings = DOINGS.filter(([beginning]) => asked.split('\n').some((line) => line.startsWith(beginning)));
    const [found] = doings;
    if (!found || doings.length > 1) throw new Error(`the operator does not know what to do: ${asked}`);
    const answered = await found[1]();
    return typeof answered === 'string' ? answered : '';
  }
  const patience = { pollMs: 50, serviceMs: 30_000, peopleMs: 30_000 };
  const code = await Promise.race([
    walkThrough({ options: { url: app.url, report }, input, output, patience }),
    // A prompt that the operator cannot answer ends the test.
    new Promise<never>((_resolve, reject) => output.on('data', () => void doing.catch(reject))),
  ]);
  return { code, said };
}

const readReport = async (): Promise<Report> => JSON.parse(await readFile(path, 'utf8')) as Report;

test('performs each step of the plan in its order', () => {
  const plan = readPlan();
  expect(plan.map(({ title }) => title)).toEqual(Object.keys(STEPS));
  expect(plan.flatMap(({ prompts }) => prompts)).toHaveLength(DOINGS.length);
  for (const { title, about, prompts, questions } of plan) {
    expect(questions, title).not.toEqual([]);
    expect([about, ...prompts, ...questions].join(), title).not.toMatch(/[`[\]*]/);
  }
});

test('walks through the hour, resumes where it stopped, and writes a report without names', async () => {
  expect(await check({ quitAt: 'Sync its groups' })).toMatchObject({ code: 1 });
  expect((await readReport()).steps).toMatchObject([{ title: 'Link the number', outcome: 'done' }]);

  const { code, said } = await check();
  expect(said).not.toContain('failed:');
  expect(code).toBe(0);
  for (const { prompts } of readPlan().slice(1)) for (const prompt of prompts) expect(said).toContain(prompt);

  const report = await readReport();
  expect(report.steps.map(({ title, outcome }) => [title, outcome])).toEqual(
    Object.keys(STEPS).map((title) => [title, 'done']),
  );
  const facts = Object.fromEntries(report.steps.map((step) => [step.title, step.facts]));
  expect(facts).toMatchObject({
    'Link the number': { status: 'connected', code: null, wasPasskeyAsked: false },
    'Send a text': { sent: 1, failed: 0, recipients: 1, isUnknown: false },
    'Send a picture': { sent: 1 },
    'Send a link': { sent: 1 },
    'Receive and read': { delivered: 1, read: 1 },
    'React and reply': { reactions: 1, replies: 1 },
    'Vote on a poll': { sent: 1, voters: 1, unreadable: 0, yes: 1 },
    'Correct the text': { corrected: 1 },
    'Recall the picture': { recalled: 1 },
    'Link another device of yours': { sent: 1 },
    'Remove a member': { recipientsWithout: 0, recipients: 1, delivered: 1 },
    'Restart while a phone is away': { sent: 1, status: 'connected', delivered: 1 },
    'Count views': { textViews: 3, pictureViews: 3, reactions: 2 },
    Unlink: { isKept: false, status: 'unlinked' },
  });
  expect(report.steps.flatMap(({ answers }) => Object.values(answers))).toHaveLength(
    readPlan().flatMap(({ questions }) => questions).length,
  );
  expect(report.conditions).toMatchObject({ own_devices_changed: 1, passkey_asked: 0, certificate: 0 });
  expect(said).toMatch(/^Conditions of WhatsApp that were seen: .*own_devices_changed \(1\)/m);
  expect(shown('A link: ').card).toMatchObject({ url: 'https://www.example.org/', title: 'An orange card' });
  const devicesWith = (words: string) =>
    peer.arrivals.filter((arrival) => arrival.text.includes(words)).map(({ device }) => device);
  expect(devicesWith('To my other devices')).toContain(`${phone.lid}:9@lid`);
  expect(devicesWith('Without the second')).not.toContain(lidOf(second));
  expect(devicesWith('phone is back')).toContain(lidOf(second));
  const text = JSON.stringify(report);
  const personal = [phone.number, second.number, phone.lid, 'zoe', 'I see it', 'checks how', zoe.token, '@g.us'];
  expect(personal.filter((word) => text.includes(word))).toEqual([]);
});

test('waits for a passkey, shows the characters to compare, and reports both', async () => {
  peer.script.asksForPasskey = true;
  const own = peer.addPerson('491515550001');
  const report = join(folder, 'passkey.json');
  const who = await app.signUp('yan', `+${own.number}`);
  const { said } = await check({ quitAt: 'Sync its groups', who, own, report });
  peer.behave();
  expect(said).toContain('If the phone shows eight characters');
  expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({
    steps: [{ title: 'Link the number', outcome: 'done', facts: { wasPasskeyAsked: true } }],
    conditions: { passkey_asked: 1 },
  });
});

test('says which step failed, and writes only its code down', async () => {
  await rm(path, { force: true });
  const before = await check({ quitAt: 'Sync its groups' });
  expect(before.code).toBe(1);
  peer.script.refuseQuery = ({ namespace, to, action }) =>
    namespace === 'w:g2' && to === '@g.us' && action === 'participating' ? 400 : undefined;
  const { code, said } = await check({ quitAt: 'Create a group' });
  peer.behave();
  expect(code).toBe(1);
  expect(said).toMatch(/Failed: .*400/);
  expect((await readReport()).steps.at(-1)).toMatchObject({ outcome: 'failed', facts: { httpStatus: 409, code: 400 } });
});

test('fails when a vote cannot be opened, and reports its count', async () => {
  const report = join(folder, 'vote.json');
  const played = new Set(['Create a group', 'Vote on a poll']);
  const titles = Object.keys(STEPS).filter((title) => !played.has(title));
  const steps = titles.map((title) => ({ title, outcome: 'skipped' }));
  await writeFile(report, JSON.stringify({ steps, made: {} }));
  voteAuthor = second;
  const { code, said } = await check({ report });
  expect(code).toBe(1);
  expect(said).toContain('Failed: A vote arrived and could not be opened');
  const found = (JSON.parse(await readFile(report, 'utf8')) as Report).steps.at(-1);
  expect(found).toMatchObject({ outcome: 'failed', facts: { sent: 1, voters: 0, unreadable: 1 } });
});

test('leaves a file alone that is no report', async () => {
  await writeFile(path, 'my diary');
  const refused = check();
  await expect(refused).rejects.toThrow(/is not a report of this check/);
  expect(await readFile(path, 'utf8')).toBe('my diary');
});
