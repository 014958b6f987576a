/** What is handed to a messenger of posts with fields: each attempt, correction, quote and recall says what was fixed as the run began. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { setFields } from '../../../src/sending/groups/fields/fields.ts';
import { setGroupFields } from '../../../src/sending/groups/fields/set-group-fields.ts';
import { execute } from '../../../src/platform/database/statements.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsWhen,
  convert,
  createOwner,
  groupNumber,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, banAccount, setSenders } from '../../support/several-accounts.ts';

let messenger: ScriptedMessenger;
let worker: Worker | undefined;
const database = await useTestDatabase();
const { db } = database;
beforeEach(() => {
  messenger = scriptMessenger();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const work = async () => void (worker = await startTestWorker(database, messenger));

/** Gives the groups of an owner values of a field, in their order. */
async function give(owner: Owner, name: string, values: ReadonlyArray<string | null>): Promise<void> {
  await setFields({ db }, owner, { fields: [{ name }], remove: [] });
  const input = values.map((value, index) => ({ groupId: owner.groupIds[index] ?? 0, fields: { [name]: value } }));
  await setGroupFields({ db }, owner, input);
}
const sendAll = async (owner: Owner, html: string): Promise<string> => {
  const campaign = await sendNow(db, owner, owner.groupIds, html, true);
  await analyticsWhen(db, owner, campaign, ({ totals }) => totals.sent === owner.groupIds.length);
  return campaign;
};
/** What arrived, in the order of the groups. */
const arrived = (what: (one: ScriptedMessenger['arrivals'][number]) => unknown = ({ text }) => text) =>
  messenger.arrivals.toSorted((a, b) => groupNumber(a.chatId) - groupNumber(b.chatId)).map(what);

test('a retry says what the first attempt said, whatever has changed in between', async () => {
  const owner = await createOwner(db, 2);
  await give(owner, 'host', ['Ana', 'Bo']);
  messenger.answer = () => ({ kind: 'refused', reason: 'No', final: true });
  await work();
  const campaign = await sendNow(db, owner, owner.groupIds, 'Ask {{ host }}', true);
  await analyticsWhen(db, owner, campaign, ({ totals }) => totals.failed === 2);
  await give(owner, 'host', ['Ada', null]);
  messenger.answer = () => undefined;
  await retryCampaign({ db }, owner, campaign);
  await analyticsWhen(db, owner, campaign, ({ totals }) => totals.sent === 2);
  expect(arrived()).toEqual(['Ask Ana', 'Ask Bo']);
});

test('a later worker says what the first one would have said', async () => {
  const owner = await createOwner(db, 2);
  await give(owner, 'host', ['Ana', 'Bo']);
  const campaign = await sendNow(db, owner, owner.groupIds, 'Ask {{ host }}', true);
  await give(owner, 'host', ['Ada', null]);
  await work();
  await analyticsWhen(db, owner, campaign, ({ totals }) => totals.sent === 2);
  expect(arrived()).toEqual(['Ask Ana', 'Ask Bo']);
});

test('a reply quotes what each group got', async () => {
  const owner = await createOwner(db, 2);
  await give(owner, 'host', ['Ana', 'Bo']);
  await work();
  const first = await sendAll(owner, 'Ask {{ host }}');
  await give(owner, 'host', ['Ada', 'Ben']);
  messenger.arrivals = [];
  const reply = { name: 'Reply', description: '', html: 'As I said', image: null, isChannelCampaign: false };
  const { campaignId } = await addCampaign({ db, convert }, owner, {
    ...reply,
    groupIds: owner.groupIds,
    scheduleTime: null,
    extras: { replyTo: { campaignId: first } },
  });
  await analyticsWhen(db, owner, campaignId, ({ totals }) => totals.sent === 2);
  expect(arrived(({ quotedText }) => quotedText)).toEqual(['Ask Ana', 'Ask Bo']);
});

test('another account recalls the posts, also of groups that a correction left out', async () => {
  const owner = await createOwner(db, 2);
  const sender = await addAccount(db, owner);
  await execute(db)`update group_accounts set is_admin = true where account_id = ${owner.accountId}`;
  await setSenders(db, owner, [sender]);
  await give(owner, 'host', ['Ana', 'Bo']);
  await work();
  const campaign = await sendAll(owner, 'Ask {{ host }}');
  await give(owner, 'room', ['1', null]);
  const correction = { campaignId: campaign, runId: null, html: '{{ host }}, {{ room }}', leavesOut: true };
  await correctCampaign({ db, convert }, owner, correction);
  await until(
    () => messenger.changes,
    (changes) => changes.length === 1,
  );
  expect(messenger.changes).toMatchObject([{ kind: 'correct', text: 'Ana, 1' }]);
  const corrected = await analyticsWhen(db, owner, campaign, ({ groups }) =>
    groups.some(({ lastError }) => lastError?.includes('no value for room') ?? false),
  );
  expect(corrected.totals).toMatchObject({ sent: 2, failed: 0 });
  await banAccount(db, sender);
  await recallCampaign({ db }, owner, { campaignId: campaign, runId: null });
  await analyticsWhen(db, owner, campaign, ({ totals }) => totals.recalled === 2);
  expect(messenger.changes.slice(1)).toMatchObject([
    { kind: 'recall', accountId: owner.accountId },
    { kind: 'recall', accountId: owner.accountId },
  ]);
});
