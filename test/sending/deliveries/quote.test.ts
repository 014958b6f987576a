/** What a post that replies to an earlier one quotes. */
import { afterEach, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import type { PostExtras } from '../../../src/content/post/post-extras.ts';
import type { QuotedPost } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, convert, createOwner, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const PDF = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64');

let worker: Worker | undefined;
const database = await useTestDatabase();
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

async function send(owner: Owner, html: string, extras: PostExtras, image: string | null = null): Promise<string> {
  const post = { name: 'Internal name', description: '', html, image, isChannelCampaign: false };
  const input = { ...post, groupIds: owner.groupIds, scheduleTime: null, extras };
  const { campaignId } = await addCampaign({ db: database.db, convert }, owner, input);
  await analyticsWhen(database.db, owner, campaignId, ({ totals }) => totals.sent === 1);
  return campaignId;
}

test('quotes a document by the name that it was sent with, in each attempt', async () => {
  const messenger = scriptMessenger();
  const quotes: Array<QuotedPost | undefined> = [];
  messenger.answer = ({ quote }) => {
    quotes.push(quote);
    return quotes.length === 3 ? { kind: 'unknown', reason: 'no answer' } : undefined;
  };
  worker = await startTestWorker(database, messenger);
  const owner = await createOwner(database.db, 1);
  const named = await send(owner, 'Hello', { fileName: 'Programme' }, PDF);
  const unnamed = await send(owner, '', {}, PDF);
  await send(owner, 'One', { replyTo: { campaignId: named } });
  await send(owner, 'Two', { replyTo: { campaignId: unnamed } });
  const [first, second] = messenger.arrivals;
  const document = { mime: 'application/pdf' };
  expect(quotes).toEqual([
    undefined,
    undefined,
    { ...document, messageId: first?.messageId, text: 'Hello', fileName: 'Programme.pdf' },
    { ...document, messageId: first?.messageId, text: 'Hello', fileName: 'Programme.pdf' },
    { ...document, messageId: second?.messageId, text: '', fileName: 'file.pdf' },
  ]);
});
