/** Who is told that posts wait for an account that cannot send, or were handed over: by events for webhooks, and by notices (contract §4). */
import { execute } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/api/contract/webhook-events.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { startTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { startReceiver } from '../../support/servers/receiver.ts';
import { callIn, createTeam, type Team } from '../../support/team.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface ListedNotice {
  kind: string;
  account: { account_id: AccountId; name: string | null } | null;
  down_since: string | null;
  handed_over: number | null;
}
type Member = keyof Team['members'];

let team: Team;
let accountId: AccountId;
let groups: number[];
let teams = 0;

const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const mails = await startMailServer();
const receiver = await startReceiver();
const app = await startTestApp({
  egress: { allowHttp: true, allowed, proxy: {} },
  smtpUrl: mails.url,
  mailFrom: 'campanile@example.com',
  publicUrl: 'https://campanile.example.com',
  signUp: 'open',
  sandboxSpeed: 200,
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
  await mails.close();
});
beforeEach(async () => {
  receiver.received.splice(0);
  mails.mails.splice(0);
  team = await createTeam(app, `news${++teams}`);
  const listed = await say<{ groups: Array<{ group_metadata_id: number }> }>('owner', 'venom/list-groups');
  groups = listed.groups.map((group) => group.group_metadata_id);
  accountId = (await say<{ account_id: AccountId }>('owner', 'venom/update-account', { name: 'Main line' })).account_id;
  await say('owner', 'venom/add-account', { name: 'Backup' });
  await say('owner', 'venom/create-webhook', { url: receiver.url, events: ['account.*'] });
  await execute(app.database.db)`update users set email_verified_at = campanile_now() where email_verified_at is null`;
});

async function say<Data = object>(who: Member, path: string, body: object = {}): Promise<Data> {
  const answer = await callIn<Data>(app, team.members[who], team.workspaceId, path, body);
  expect(answer.body, path).toMatchObject({ code: 200 });
  return answer.body.data;
}

/** The default account loses its link, and a post begins that waits for it. */
async function failWithPost(): Promise<void> {
  await say('owner', 'venom/disconnect-account', { account_id: accountId });
  await say('owner', 'venom/add-campaign', { name: 'Fair', html: 'Hello', group_metadata_ids: groups });
}

const noticesOf = async (who: Member, kind: string) => {
  const { body } = await team.members[who].call<{ notices: ListedNotice[] }>('user/list_notices');
  return body.data.notices.filter((notice) => notice.kind === kind);
};
const noticed = (who: Member, kind: string, count: number) =>
  until(
    () => noticesOf(who, kind),
    (notices) => notices.length === count,
  );
/** The data of the messages of this type that the webhook received, of the shape that the contract has for it. */
const received = (type: 'account.waiting' | 'account.handed_over') =>
  receiver.received.filter((one) => one.type === type).map(({ data }) => WEBHOOK_EVENTS[type].data.parse(data));
const mailTo = (who: Member, about: string) =>
  until(
    () =>
      mails.mails.find(({ to, subject }) => to === `${team.members[who].name}@example.com` && subject.includes(about)),
    Boolean,
  );

test('asks owner and managers once for each failure, in the dashboard, by mail and by webhook', async () => {
  await failWithPost();
  await app.database.clock.advance({ minutes: 2 });
  const [notice] = await noticed('owner', 'account_waiting', 1);
  expect(notice).toMatchObject({ account: { account_id: accountId, name: 'Main line' }, handed_over: null });
  await noticed('manager', 'account_waiting', 1);
  await until(
    () => received('account.waiting'),
    (all) => all.length === 1,
  );
  expect(received('account.waiting')).toEqual([
    {
      account_id: accountId,
      name: 'Main line',
      status: 'unlinked',
      waits_for: 'not_linked',
      down_since: notice?.down_since,
      external_id: null,
      metadata: {},
    },
  ]);
  const mail = await mailTo('owner', 'cannot send');
  expect(mail?.subject).toMatch(
    /^Main line cannot send, and posts are waiting for it\. The account is not linked, so nothing is sent\. Link it\. It has not been able to send since .*20\d\d/,
  );
  const page = `https://campanile.example.com/account?account=${accountId}&workspace=${team.workspaceId}`;
  expect(mail?.text.split(/\s+/)).toContain(page);
  const other = await mailTo('manager', 'cannot send');
  expect(other?.text.split(/\s+/)).toContain(page);

  await app.database.clock.advance({ minutes: 5 });
  await say('owner', 'venom/connect-account', { account_id: accountId });
  await failWithPost();
  await app.database.clock.advance({ minutes: 2 });
  const both = await noticed('owner', 'account_waiting', 2);
  expect(both[0]?.down_since).not.toBe(both[1]?.down_since);
  await until(
    () => received('account.waiting'),
    (all) => all.length === 2,
  );
  expect(await noticesOf('author', 'account_waiting')).toEqual([]);
  expect(await noticesOf('owner', 'account_handed_over')).toEqual([]);
});

test('tells how many posts were handed over automatically, and does not ask', async () => {
  await say('owner', 'workspace/update-workspace', { failover_minutes: 5 });
  await team.members.owner.call('user/update_notice_settings', {
    kinds: [{ kind: 'account_handed_over', email: true }],
  });
  await failWithPost();
  await app.database.clock.advance({ minutes: 6 });
  expect(await noticed('owner', 'account_handed_over', 1)).toMatchObject([
    { account: { account_id: accountId, name: 'Main line' }, down_since: null, handed_over: groups.length },
  ]);
  await until(
    () => received('account.handed_over'),
    (all) => all.length > 0,
  );
  expect(received('account.handed_over')).toEqual([
    { account_id: accountId, name: 'Main line', handed_over: groups.length, external_id: null, metadata: {} },
  ]);
  expect((await mailTo('owner', 'sent by other accounts'))?.subject).toBe(
    `${groups.length} posts of Main line are sent by other accounts, because it cannot send.`,
  );
  expect(received('account.waiting')).toEqual([]);
  expect(await noticesOf('owner', 'account_waiting')).toEqual([]);
});
