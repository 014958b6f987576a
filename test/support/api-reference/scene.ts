import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Database } from '../../../src/platform/database/statements.ts';
import { signChallenge } from '../../../harness/whatsapp-peer/authenticator.ts';
import type { WhatsAppPeer } from '../../../harness/whatsapp-peer/peer.ts';
import { film } from '../inputs/films.ts';
import { PNG } from '../inputs/sample-files.ts';
import { until } from '../ledger.ts';
import type { MailServer } from '../servers/mail-server.ts';
import type { Status } from '../whatsapp.ts';
import type { Recorder } from './recorder.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

export interface Stage {
  recorder: Recorder;
  db: Database;
  mails: MailServer;
  whatsapp: WhatsAppPeer;
  /** The address of a picture. */
  fileUrl: string;
  /** Receives the webhook's messages. */
  receiverUrl: string;
  /** Of a web site with a page `/fair`. */
  siteUrl: string;
  /** The Monday on which the scheduled campaign of the scene starts. */
  firstMonday: Temporal.PlainDate;
}

interface Actors extends Stage {
  password: string;
  /** Ada's token; replaced whenever an operation revokes it. */
  token: string;
  campaignId: string;
  groupIds: number[];
}

const PDF = Buffer.from('%PDF-1.7\n%%EOF\n');
const PASSWORD = 'a bell in every tower';
const NEW_PASSWORD = 'two bells in every tower';
const NUMBER = '+44 20 7946 0123';
/** It has no DST, so the scene is the same all year round. */
const TIME_ZONE = 'Asia/Kolkata';
const POST = { name: 'Spring fair', html: '<h2>Spring fair</h2><p>We open at <b>nine</b>.</p>' };
const BROWSER = {
  endpoint: 'https://push.example.com/send/abc',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** Sends every operation of the API at least once, in an order that satisfies the preconditions of each. */
export async function playScene(stage: Stage): Promise<void> {
  const ada: Actors = { ...stage, password: PASSWORD, token: '', campaignId: '', groupIds: [] };
  await signUp(ada);
  await linkAccount(ada);
  await useSeveralAccounts(ada);
  await createWebhook(ada);
  await createGroups(ada);
  await sendCampaign(ada);
  await readAnalytics(ada);
  await scheduleCampaign(ada);
  await reviseCampaign(ada);
  await saveDrafts(ada);
  await saveTemplates(ada);
  await keepFiles(ada);
  await manageWebhook(ada);
  await readNotices(ada);
  await askMembers(ada);
  await resumeLedger(ada);
  await createApiKey(ada);
  await shareWorkspace(ada);
  await proveIdentity(ada);
  await confirmAddress(ada);
  await administrate(ada);
  await showPasskey(ada);
  await leave(ada);
}

async function signUp(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await recorder.send('create_user', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    user_name: 'ada',
    email: 'ada@example.com',
    phone_number: NUMBER,
    whatsapp_number: NUMBER,
    password: PASSWORD,
  });
  await signIn(ada);
  await recorder.send('get_profile', {}, ada);
  await recorder.send('update_profile', { time_zone: TIME_ZONE }, ada);
}

async function signIn(ada: Actors): Promise<void> {
  const { token } = await ada.recorder.send('authorize_user', { user_name: 'ada', password: ada.password });
  ada.token = String(token);
}

async function linkAccount(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await recorder.send('connect-account', { messenger: 'sandbox' }, ada);
  await until(
    () => recorder.poll('account-status', {}, ada),
    ({ status }) => status === 'connected',
  );
  await recorder.send('account-status', { with_history: true }, ada);
  await recorder.send('update-account', { quiet_hours: { from: '22:00', to: '07:00' }, daily_cap: 500 }, ada);
}

async function useSeveralAccounts(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const { account_id } = await recorder.send('add-account', { name: 'Second number', messenger: 'sandbox' }, ada);
  const { accounts } = await recorder.send('list-accounts', {}, ada);
  await recorder.send('set-default-account', { account_id }, ada);
  const [main] = accounts as Array<{ account_id: number }>;
  await recorder.send('set-default-account', { account_id: main?.account_id }, ada);
  await recorder.send('simulate-incident', { account_id, action: 'ban' }, ada);
  await recorder.poll('disconnect-account', { account_id }, ada);
  await recorder.send('remove-account', { account_id }, ada);
}

/** Another user links a number that has a passkey. */
async function showPasskey({ recorder, whatsapp }: Actors): Promise<void> {
  const number = '+44 20 7946 0188';
  const login = { user_name: 'grace', password: PASSWORD };
  const names = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' };
  await recorder.poll('create_user', { ...login, ...names, phone_number: number, whatsapp_number: number });
  const token = String((await recorder.poll('authorize_user', login))['token']);
  const phone = whatsapp.addPerson('442079460188');
  // It is linked no further.
  Object.assign(whatsapp.script, { asksForPasskey: true, losesPasskeyContinuation: true });
  const { qr } = await recorder.poll('connect-account', { messenger: 'whatsapp' }, { token });
  void whatsapp.scan(phone, String(qr)).catch(() => undefined);
  const { passkey } = await until(
    async () => (await recorder.poll('account-status', {}, { token })) as unknown as Status,
    (status) => status.passkey !== undefined,
  );
  const options = passkey?.request_options ?? { challenge: '', rpId: '' };
  await recorder.send('submit-passkey', { assertion: signChallenge(phone, options) }, { token });
  await recorder.poll('disconnect-account', {}, { token });
}

function scheduleOf({ firstMonday }: Stage) {
  return {
    start_date: firstMonday.toString(),
    end_date: firstMonday.add({ days: 4 }).toString(),
    schedule_time: '09:00:00',
  };
}

async function createWebhook(ada: Actors): Promise<void> {
  const webhook = {
    url: ada.receiverUrl,
    events: ['campaign.completed', 'campaign.completed_with_errors'],
    description: 'The club’s website',
  };
  await ada.recorder.send('create-webhook', webhook, ada);
}

async function createGroups(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const once = (key: string) => ({ token: ada.token, headers: { 'Idempotency-Key': key } });
  const community = { community_name: 'Old town', description: 'News for everybody in the old town' };
  const { group_metadata_id } = await recorder.send('create-community', community, once('community-old-town'));
  const image = `data:image/png;base64,${PNG.toString('base64')}`;
  await recorder.send(
    'create-channel',
    { name: 'Town news', description: 'One post a week', image },
    once('channel-1'),
  );
  await recorder.send('create-group', { group_name: 'Choir', participants: ['+44 20 7946 0124'] }, once('group-choir'));
  await recorder.send('sync-groups', {}, ada);
  const listed = await recorder.send(
    'list-groups',
    { kind: 'community', with_activity: true, with_accounts: true, limit: 1 },
    ada,
  );
  ada.groupIds = [Number(group_metadata_id)];
  await recorder.send(
    'update-group',
    { group_metadata_id, external_id: 'parish-7', metadata: { town: 'Old Town' } },
    ada,
  );
  await recorder.send('get-invite-link', { group_metadata_id }, ada);
  const fields = [
    { name: 'City', kind: 'text' },
    { name: 'Meets on', kind: 'date' },
  ];
  await recorder.send('set-fields', { fields }, ada);
  const values = { City: 'Pune', 'Meets on': '2026-12-24' };
  await recorder.send(
    'set-group-fields',
    { groups: [{ group_metadata_id, fields: values }] },
    once('values-of-old-town'),
  );
  await recorder.send('list-fields', {}, ada);
  const sheet = Buffer.from('Group;City\nOld town;Mumbai\nChess;Pune\n').toString('base64');
  await recorder.send('import-group-fields', { file: sheet, dry_run: true, skip_refused: true }, ada);
  await recorder.poll('import-group-fields', { file: sheet, skip_refused: true }, ada);
  await recorder.send('export-group-fields', { format: 'csv' }, ada);
  await recorder.send('find-groups', { names: ['old town', 'Choir', 'Chess'] }, ada);
  const saved = await recorder.send('save-group-list', { name: 'Clubs', group_metadata_ids: ada.groupIds }, ada);
  await recorder.send('list-group-lists', {}, ada);
  const [{ accounts }] = listed['groups'] as [{ accounts: Array<{ account_id: AccountId }> }];
  const account_ids = accounts.map(({ account_id }) => account_id);
  const rule = { group_metadata_ids: ada.groupIds, account_ids, reason: 'Known to the members' };
  await recorder.send('set-senders', rule, ada);
  await recorder.send('hand-over-deliveries', { account_id: account_ids[0] }, ada);
  await recorder.send('list-senders', { group_metadata_id, with_history: true }, ada);
  await recorder.send('delete-group-list', { group_list_id: saved['group_list_id'] }, ada);
}

async function sendCampaign(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const campaign = { ...POST, group_metadata_ids: ada.groupIds, image: PNG.toString('base64') };
  await recorder.send('preview-campaign', { html: POST.html }, ada);
  await recorder.send('link-preview', { url: `${ada.siteUrl}/fair` }, ada);
  await recorder.send(
    'check-campaign',
    { ...campaign, is_schedule: true, ...scheduleOf(ada), weekdays: [1, 3, 5] },
    ada,
  );
  const headers = { 'Idempotency-Key': 'spring-fair-2027' };
  const own = { external_id: 'order-17', metadata: { order: '17' } };
  const { campaign_id } = await recorder.send('add-campaign', { ...campaign, ...own }, { token: ada.token, headers });
  ada.campaignId = String(campaign_id);
  await until(
    () => recorder.poll('get-campaign', { campaign_id }, ada),
    ({ status }) => status === 'completed',
  );
  await recorder.send('get-campaign', { campaign_id }, ada);
  await recorder.poll('get-campaign', { external_id: own.external_id }, ada);
  await recorder.poll('list-campaigns', own, ada);
  await recorder.send('list-campaigns', { status: 'completed', with_reads: true, with_totals: true }, ada);
  await recorder.send('duplicate-campaign', { campaign_id }, ada);
  await recorder.send('get-media', { sha256: createHash('sha256').update(PNG).digest('hex') }, ada);
  await recorder.send('list-messages', { group_metadata_id: ada.groupIds[0], limit: 10 }, ada);
}

async function readAnalytics(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const { campaignId: campaign_id } = ada;
  await recorder.send('get-campaign-group-analytics-master', { campaign_id, with_estimate: true }, ada);
  await recorder.send('get-overview', { days: 1, with_previous: true }, ada);
  await recorder.send('get-group', { group_metadata_id: ada.groupIds[0], days: 90 }, ada);
  await recorder.send('export-campaign', { campaign_id, format: 'csv' }, ada);
  await report(ada);
}

async function report(ada: Actors): Promise<void> {
  const { recorder, campaignId: campaign_id } = ada;
  const today = Temporal.Now.plainDateISO('UTC').toString();
  const selection = { start_date: today, end_date: today, campaign_id };
  await recorder.send('get-report', { ...selection, limit: 10 }, ada);
  await recorder.send('export-report', { ...selection, format: 'csv' }, ada);
  const { report_link_id, token } = await recorder.send('share-report', { ...selection, expires_in_days: 7 }, ada);
  await recorder.send('get-shared-report', { token, limit: 10 });
  await recorder.send('list-report-links', {}, ada);
  await recorder.send('revoke-report-link', { report_link_id }, ada);
  const { calendar_link_id } = await recorder.send('share-calendar', {}, ada);
  await recorder.send('list-calendar-links', {}, ada);
  await recorder.send('revoke-calendar-link', { calendar_link_id }, ada);
}

async function askMembers(ada: Actors): Promise<void> {
  const { recorder, groupIds: group_metadata_ids } = ada;
  const poll = { question: 'When shall we meet?', options: ['Saturday', 'Sunday'], open_hours: 48 };
  const { campaign_id } = await recorder.poll(
    'add-campaign',
    { name: 'Poll', html: '', poll, group_metadata_ids },
    ada,
  );
  await until(
    () => recorder.poll('get-poll-results', { campaign_id }, ada),
    ({ polls }) => (polls as Array<{ voters: number }>).some(({ voters }) => voters > 0),
  );
  await recorder.send('get-poll-results', { campaign_id }, ada);
  await recorder.send('export-poll', { campaign_id, format: 'csv' }, ada);
}

async function scheduleCampaign(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const campaign = {
    ...POST,
    group_metadata_ids: ada.groupIds,
    is_schedule: true,
    ...scheduleOf(ada),
    time_zone: TIME_ZONE,
    weekdays: [1, 3, 5],
  };
  const headers = { 'Idempotency-Key': 'spring-fair-week' };
  await recorder.send('add-campaign-batch', campaign, { token: ada.token, headers });
  const campaign_id = recorder.examples.get('add-campaign-batch')?.answerHeaders['x-campaign-id'];
  const { start_date, end_date } = campaign;
  await recorder.send('list-runs', { start_date, end_date, with_counts: true }, ada);
  await recorder.send('update-campaign', { campaign_id, schedule_time: '10:30:00' }, ada);
  const row = { key: 'fair-1', date: start_date, time: '09:00', groups: ada.groupIds, text: 'The fair *opens* today.' };
  const plan = { plan: 'Spring', rows: [row], time_zone: TIME_ZONE, dry_run: true };
  await recorder.send('import-plan', plan, ada);
  const [monday, wednesday, friday] = await listPlannedRuns(ada, campaign_id);
  await recorder.send('skip-run', { campaign_id, run_id: friday }, ada);
  const due_at = `${start_date}T15:00:00+05:30`;
  await recorder.send('move-run', { campaign_id, run_id: monday, due_at }, ada);
  // Nothing leaves: later examples count the posts.
  await recorder.poll('update-account', { quiet_hours: { from: '00:00', to: '23:59' } }, ada);
  await recorder.send('send-run-now', { campaign_id, run_id: wednesday }, ada);
  await until(
    () => recorder.poll('get-campaign', { campaign_id }, ada),
    ({ status }) => status === 'running',
  );
  for (const operation of ['pause-campaign', 'resume-campaign', 'cancel-campaign', 'delete-campaign'])
    await recorder.send(operation, { campaign_id }, ada);
  await recorder.poll('update-account', { quiet_hours: 'none' }, ada);
}

async function listPlannedRuns({ recorder, token }: Actors, campaign_id: unknown): Promise<number[]> {
  const { runs } = await recorder.poll('get-campaign', { campaign_id }, { token });
  return (runs as Array<{ run_id: number }>).map((run) => run.run_id);
}

async function reviseCampaign(ada: Actors): Promise<void> {
  const { recorder, campaignId: campaign_id } = ada;
  const html = POST.html.replace('nine', 'ten');
  await recorder.send('correct-campaign', { campaign_id, html }, ada);
  await recorder.send('pin-campaign', { campaign_id, pin_for: '7d' }, ada);
  await recorder.send('unpin-campaign', { campaign_id }, ada);
  await recorder.send('recall-campaign', { campaign_id }, ada);
}

async function saveDrafts(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const draft_id = '7d9a4c52-3f0b-4a8e-9f3d-5b1c2e6a8d40';
  const draft = {
    draft_id,
    version: 0,
    name: 'Summer fair',
    html: '<p>Save the date</p>',
    group_metadata_ids: ada.groupIds,
  };
  await recorder.send('save-draft', draft, ada);
  await recorder.send('list-drafts', {}, ada);
  await recorder.send('delete-draft', { draft_id }, ada);
}

async function saveTemplates(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const template_id = '2b9f3c1e-58d4-4f6b-8a27-9c0e4d7b1a63';
  const template = {
    template_id,
    version: 0,
    name: 'Fair',
    html: '<p>Save the date</p>',
    group_metadata_ids: ada.groupIds,
  };
  await recorder.send('save-template', template, ada);
  await recorder.send('list-templates', { template_id }, ada);
  await recorder.send('delete-template', { template_id }, ada);
}

async function keepFiles(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const headers = { 'x-file-name': 'Programme%202027.pdf' };
  const file = await recorder.send('upload', PDF, { token: ada.token, headers });
  await recorder.send('import-media', { url: ada.fileUrl, file_name: 'Poster.png' }, ada);
  const movie = await recorder.poll('upload', film({ bytes: 2_000 }), { token: ada.token, headers: {} });
  await recorder.send('set-still', { media_id: movie['media_id'], still: PNG.toString('base64') }, ada);
  await recorder.send('list-media', { search: 'programme' }, ada);
  await recorder.send('delete-media', { media_id: file['media_id'] }, ada);
}

async function manageWebhook(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const { webhooks: created } = await recorder.poll('list-webhooks', {}, ada);
  const [webhook] = created as Array<{ webhook_id: string }>;
  const of = { webhook_id: webhook?.webhook_id };
  // The examples show the attempts for the completed campaign and for the test, in this order.
  await until(
    () => recorder.poll('list-webhook-tries', of, ada),
    ({ tries }) => (tries as unknown[]).length === 1,
  );
  await recorder.send('list-webhooks', {}, ada);
  await recorder.send('get-webhook', of, ada);
  const { message_id } = await recorder.send('test-webhook', of, ada);
  await until(
    () => recorder.poll('list-webhook-tries', of, ada),
    ({ tries }) => (tries as unknown[]).length === 2,
  );
  await recorder.send('list-webhook-tries', { ...of, limit: 1 }, ada);
  // Not before: it would also be told what has happened since, and was not looked at yet.
  await recorder.send('update-webhook', { ...of, events: ['campaign.*', 'delivery.failed'] }, ada);
  await recorder.send('retry-webhook', { ...of, message_id }, ada);
  await recorder.send('rotate-webhook-secret', { ...of, expire_former: 'now' }, ada);
  await recorder.send('delete-webhook', of, ada);
}

async function readNotices(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await until(
    () => recorder.poll('list_notices', { limit: 1 }, ada),
    ({ notices }) => (notices as unknown[]).length > 0,
  );
  const { notices } = await recorder.send('list_notices', { limit: 1 }, ada);
  const [newest] = notices as Array<{ place: number }>;
  await recorder.send('read_notices', { up_to: newest?.place }, ada);
  await recorder.send('get_notice_settings', {}, ada);
  await recorder.send(
    'update_notice_settings',
    { kinds: [{ kind: 'campaign_done', browser: true, email: false }] },
    ada,
  );
  await recorder.send('subscribe_push', BROWSER, ada);
  await recorder.send('unsubscribe_push', { endpoint: BROWSER.endpoint }, ada);
}

/** Queues a campaign in quiet hours and then holds the ledger. */
async function resumeLedger(ada: Actors): Promise<void> {
  const { recorder, db } = ada;
  await recorder.send('update-account', { quiet_hours: { from: '08:00', to: '20:00' } }, ada);
  const campaign = { name: 'Summer fair', html: 'Save the date', group_metadata_ids: ada.groupIds };
  const { campaign_id } = await recorder.send('add-campaign', campaign, ada);
  await sql`update ledger set held_since = campanile_now(), held_reason = 'the ledger was restored from a backup'`.execute(
    db,
  );
  await recorder.send('list_queued', {}, ada);
  const choices = [{ campaign_id, choice: 'unknown' }];
  await recorder.send('release_ledger', { choices, password: ada.password }, ada);
  await recorder.send('retry-campaign', { campaign_id }, ada);
}

async function createApiKey(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const key = {
    name: 'The website',
    scopes: ['read', 'send'],
    expires_at: `${ada.firstMonday.add({ days: 300 })}T00:00:00Z`,
  };
  const { api_key_id } = await recorder.send('create_api_key', key, ada);
  await recorder.send('list_api_keys', {}, ada);
  await recorder.send('revoke_api_key', { api_key_id }, ada);
  await recorder.send('list_audit_log', { limit: 2 }, ada);
  await recorder.send('export_audit_log', { kind: 'keys', format: 'csv' }, ada);
  await recorder.send('list_security_log', { limit: 2 }, ada);
  await recorder.send('export_account', {}, ada);
}

/** Mary joins, gets another role, becomes the owner and gives the workspace back. */
async function shareWorkspace(ada: Actors): Promise<void> {
  const { recorder } = ada;
  const login = { user_name: 'mary', password: PASSWORD };
  const names = { first_name: 'Mary', last_name: 'Somerville', email: 'mary@example.com' };
  await recorder.poll('create_user', { ...login, ...names, phone_number: NUMBER, whatsapp_number: NUMBER });
  const mary = { token: String((await recorder.poll('authorize_user', login))['token']) };
  await recorder.send('rename-workspace', { name: 'Old town' }, ada);
  await recorder.send('update-workspace', { failover_minutes: 30 }, ada);
  const invite = async () => String((await recorder.poll('invite-member', { role: 'author' }, ada))['code']);
  await recorder.send('invite-member', { role: 'author' }, ada);
  const code = await invite();
  const { invitations } = await recorder.send('list-workspace-invitations', {}, ada);
  const [, other] = invitations as Array<{ invitation_id: number }>;
  await recorder.send('revoke-invitation', { invitation_id: other?.invitation_id }, ada);
  await recorder.send('get-invitation', { code });
  const { workspace_id: joined } = await recorder.send('accept-invitation', { code }, mary);
  await recorder.send('create-workspace', { name: 'Village news' }, mary);
  await recorder.send('list-workspaces', {}, mary);
  const { members } = await recorder.send('list-members', {}, ada);
  const userId = (members as Array<{ user_id: number; role: string }>).find(({ role }) => role !== 'owner')?.user_id;
  const adasId = (members as Array<{ user_id: number; role: string }>).find(({ role }) => role === 'owner')?.user_id;
  await recorder.send('set-member-role', { user_id: userId, role: 'manager' }, ada);
  const here = { ...mary, headers: { 'x-workspace': String(joined) } };
  await recorder.send('open-workspace', {}, here);
  await approvePosts(ada, here);
  await recorder.send('hand-over-workspace', { user_id: userId }, ada);
  await recorder.poll('hand-over-workspace', { user_id: adasId }, here);
  await recorder.send('leave-workspace', {}, here);
  await recorder.poll('accept-invitation', { code: await invite() }, mary);
  await recorder.send('remove-member', { user_id: userId }, ada);
}

/** Mary asks for the approval of a post, which Ada sends back and then approves. */
async function approvePosts(ada: Actors, mary: { token: string; headers: Record<string, string> }): Promise<void> {
  const { recorder, groupIds: group_metadata_ids } = ada;
  await recorder.send('set-approval-rules', { approval: 'authors' }, ada);
  const approval_id = '7d0e7a0c-6c0e-4f0a-9c55-2d1d1c3a7f10';
  const post = { approval_id, ...POST, is_schedule: true, ...scheduleOf(ada), group_metadata_ids };
  const asked = await recorder.send('request-approval', { ...post, remark: 'Is nine right?' }, mary);
  const sentBack = { approval_id, sha256: asked['sha256'], decision: 'request_changes', remark: 'No, ten.' };
  await recorder.poll('decide-approval', sentBack, ada);
  await recorder.send('remark-approval', { approval_id, remark: 'I change it.' }, mary);
  const html = POST.html.replace('nine', 'ten');
  const { sha256 } = await recorder.poll('request-approval', { ...post, html }, mary);
  await recorder.send('list-approvals', {}, ada);
  await recorder.send('get-approval', { approval_id }, ada);
  await recorder.send('decide-approval', { approval_id, sha256, decision: 'approve' }, ada);
  const other = 'c1d1e0aa-33a5-4a36-8d0c-7c9a3c6f0a11';
  await recorder.poll('request-approval', { ...post, approval_id: other }, mary);
  await recorder.send('withdraw-approval', { approval_id: other }, mary);
  await recorder.poll('set-approval-rules', { approval: 'never' }, ada);
}

async function proveIdentity(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await signIn(ada);
  const { sessions } = await recorder.send('list_sessions', {}, ada);
  const other = (sessions as Array<{ session_id: string; is_current: boolean }>).find((one) => !one.is_current);
  await recorder.send('end_session', { session_id: other?.session_id }, ada);
  await recorder.send('confirm_identity', { password: ada.password }, ada);
  const { secret } = await recorder.send('add_totp', {}, ada);
  const code = new TOTP({ secret: Secret.fromBase32(String(secret)) }).generate();
  await recorder.send('confirm_totp', { code }, ada);
  const { factors } = await recorder.send('list_factors', {}, ada);
  await recorder.send('renew_recovery_codes', {}, ada);
  const [factor] = factors as Array<{ factor_id: number }>;
  await recorder.send('remove_factor', { factor_id: factor?.factor_id }, ada);
}

async function confirmAddress(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await recorder.send('send_verification', {}, ada);
  const verification = await codeOf(ada, 'ada@example.com', /confirm|verif|prove/i);
  await recorder.send('verify_email', { code: verification });
  await recorder.send('request_password_reset', { user_name: 'ada' });
  const reset = await codeOf(ada, 'ada@example.com', /password/i);
  await recorder.send('reset_password', { code: reset, new_password: NEW_PASSWORD, keep_api_keys: true });
  ada.password = NEW_PASSWORD;
  await signIn(ada);
  await recorder.send('change_password', { current_password: NEW_PASSWORD, new_password: PASSWORD }, ada);
  ada.password = PASSWORD;
  await recorder.send('revoke_tokens', { keep_api_keys: true }, ada);
  await signIn(ada);
}

/** Returns the code in the newest mail with a subject. */
async function codeOf({ mails }: Actors, to: string, subject: RegExp): Promise<string> {
  const mail = await until(
    () => mails.mails.findLast((one) => one.to === to && one.code !== undefined && subject.test(one.subject)),
    Boolean,
  );
  return mail?.code ?? '';
}

async function administrate(ada: Actors): Promise<void> {
  const { recorder } = ada;
  await recorder.send('invite', { email: 'grace@example.com' }, ada);
  await recorder.send('list_invitations', {}, ada);
  const { user_info } = await recorder.send('accept_invite', {
    code: await codeOf(ada, 'grace@example.com', /./),
    first_name: 'Grace',
    last_name: 'Hopper',
    user_name: 'grace',
    phone_number: '+44 20 7946 0125',
    whatsapp_number: '+44 20 7946 0125',
    password: PASSWORD,
  });
  await recorder.send('invite', { email: 'alan@example.com' }, ada);
  await recorder.send('withdraw_invitation', { email: 'alan@example.com' }, ada);
  const { user_id } = user_info as { user_id: number };
  await recorder.send('list_users', { search: 'grace', limit: 50 }, ada);
  for (const operation of ['get_user', 'disable_user', 'enable_user', 'reset_factors'])
    await recorder.send(operation, { user_id }, ada);
  await recorder.send('delete_user', { user_id, password: ada.password }, ada);
  await recorder.send('get_installation', {}, ada);
}

async function leave(ada: Actors): Promise<void> {
  await ada.recorder.send('disconnect-account', {}, ada);
  await ada.recorder.send('delete_account', { password: ada.password }, ada);
}
