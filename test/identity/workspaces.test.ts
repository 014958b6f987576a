/** Tenant isolation at the level of the database. `test/contract/access.test.ts` checks it over HTTP. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAccountHistory } from '../../src/sending/accounts/account-history.ts';
import { readAccountStatus } from '../../src/sending/accounts/account-status.ts';
import { findOwnAccount } from '../../src/sending/accounts/store.ts';
import { readGroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import { readOverview } from '../../src/sending/analytics/read-overview.ts';
import { listAuditLog } from '../../src/workspaces/audit/list-audit-log.ts';
import type { Actor } from '../../src/workspaces/audit/record-audit.ts';
import { cancelCampaign, pauseCampaign } from '../../src/sending/campaigns/change/control.ts';
import { correctCampaign } from '../../src/sending/campaigns/change/correct-campaign.ts';
import { deleteCampaign } from '../../src/sending/campaigns/change/delete-campaign.ts';
import { duplicateCampaign } from '../../src/sending/campaigns/accept/duplicate-campaign.ts';
import { getCampaign } from '../../src/sending/campaigns/read/get-campaign.ts';
import { getMedia } from '../../src/sending/campaigns/read/get-media.ts';
import { listCampaigns } from '../../src/sending/campaigns/read/list-campaigns.ts';
import { listRuns } from '../../src/sending/campaigns/read/list-runs.ts';
import { recallCampaign } from '../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../src/sending/campaigns/change/retry-campaign.ts';
import { updateCampaign } from '../../src/sending/campaigns/change/update-campaign.ts';
import { deleteGroupList, listGroupLists, saveGroupList } from '../../src/sending/groups/group-lists.ts';
import { findResult } from '../../src/workspaces/idempotency/once.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { systemClock } from '../../src/platform/time/time.ts';
import { acceptMedia } from '../../src/content/media/accept-media.ts';
import { saveMedia } from '../../src/content/media/store.ts';
import { createApiKey } from '../../src/identity/api-keys/create-api-key.ts';
import { createApiKeyStates } from '../../src/identity/api-keys/api-key-states.ts';
import { selectApiKeys } from '../../src/identity/api-keys/api-key-store.ts';
import { revokeApiKey } from '../../src/identity/api-keys/revoke-api-key.ts';
import { createTestDatabase } from '../support/database.ts';
import { convert, createOwner, schedule, sendNow, type Owner } from '../support/ledger.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());
const deps = { db, convert, timeZone: 'UTC', clock: systemClock, onTestWorkspaceCreated: async () => {} };
const apiKeyStates = createApiKeyStates({ db, log: createLog('silent'), clock: systemClock });

/** Tables of people and of the installation. Add a new table of either kind here. */
const OF_PEOPLE = [
  'users',
  'user_logins',
  'signed_out_tokens',
  'sessions',
  'sign_in_networks',
  'factors',
  'recovery_codes',
  'health_problems',
  'mails',
  'notices',
  'notice_choices',
  'notice_turns',
  'push_subscriptions',
];
const OF_INSTALLATION = [
  'attempts',
  'workers',
  'shards',
  'migrations',
  'test_clock',
  'whatsapp_version',
  'spent_challenges',
  'event_sequence',
  'notice_reader',
  'push_keys',
  'ledger',
];
const OF_NO_WORKSPACE = new Set([...OF_PEOPLE, ...OF_INSTALLATION]);

interface Column {
  table: string;
  column: string;
  /** The table that a foreign key of the column leads to. */
  leadsTo: string | null;
}

async function readColumns(): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column, k.confrelid::regclass::text as "leadsTo"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`.execute(db);
  return rows;
}

test('references a workspace from every table of a tenant', async () => {
  const columns = (await readColumns()).filter(({ table }) => !OF_NO_WORKSPACE.has(table));
  // By a foreign key, or by an id without one, where it would cost too much.
  const leading = new Set(['workspaces']);
  const leads = ({ column, leadsTo }: Column) =>
    column === 'workspace_id' || column === 'account_id' || (leadsTo !== null && leading.has(leadsTo));
  for (let before = -1; before < leading.size;) {
    before = leading.size;
    for (const column of columns) if (leads(column)) leading.add(column.table);
  }
  const tables = [...new Set(columns.map(({ table }) => table))];
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.filter((table) => !leading.has(table))).toEqual([]);
  expect(columns).toContainEqual({ table: 'accounts', column: 'workspace_id', leadsTo: 'workspaces' });
});

test('names the workspace in every tenant table that names a user', async () => {
  const columns = await readColumns();
  const tablesWith = (name: string) =>
    new Set(columns.filter(({ column }) => column === name).map(({ table }) => table));
  const ofUsers = [...tablesWith('user_id')].filter((table) => !OF_NO_WORKSPACE.has(table));
  expect(ofUsers.toSorted()).toEqual([
    'api_keys',
    'approval_entries',
    'audit_log',
    'memberships',
    'quarantine',
    'webhooks',
  ]);
  expect([...tablesWith('workspace_id')]).toEqual(expect.arrayContaining(ofUsers));
});

interface OwnedResources {
  owner: Owner;
  sent: string;
  planned: string;
  sha256: string;
  apiKeyId: number;
  key: string;
  groupListId: number;
}

async function createOwnedResources(picture: Buffer): Promise<OwnedResources> {
  const owner = await createOwner(db, 2);
  const sent = await sendNow(db, owner);
  const planned = await schedule(db, owner, { startDate: '2999-01-01', endDate: '2999-01-02', time: '09:00:00' });
  const media = await acceptMedia('image', picture.toString('base64'));
  await saveMedia(db, owner.workspaceId, media);
  const { apiKeyId, key } = await createApiKey(deps, owner, { name: 'mine', scopes: ['read'], expiresAt: null });
  const groupListId = await saveGroupList(deps, owner, { name: 'mine', groupIds: owner.groupIds, groupListId: null });
  const [sha256, operation] = [media.sha256.toString('hex'), '/'];
  await sql`
    insert into idempotency_keys (workspace_id, key, operation, body_hash, result)
    values (${owner.workspaceId}, 'same', ${operation}, ${media.sha256}, ${JSON.stringify(sent)}::jsonb)`.execute(db);
  return { owner, sent, planned, sha256, apiKeyId, key, groupListId };
}

let alice: OwnedResources;
let mallory: OwnedResources;
beforeAll(async () => {
  alice = await createOwnedResources(PNG);
  mallory = await createOwnedResources(Buffer.concat([PNG, Buffer.from('of mallory')]));
});

/** Every function that reaches a resource by its id. */
const BY_ID: Record<string, (actor: Actor, of: OwnedResources) => Promise<unknown>> = {
  getCampaign: (actor, { sent }) => getCampaign(deps, actor, sent),
  duplicateCampaign: (actor, { sent }) => duplicateCampaign(deps, actor, sent),
  readGroupAnalytics: (actor, { sent }) => readGroupAnalytics(deps, actor, sent),
  getMedia: (actor, { sha256 }) => getMedia(deps, actor, { sha256, still: false }),
  correctCampaign: (actor, { sent }) => correctCampaign(deps, actor, { campaignId: sent, runId: null, html: 'x' }),
  updateCampaign: (actor, { planned }) => updateCampaign(deps, actor, planned, { name: 'x' }),
  pauseCampaign: (actor, { planned }) => pauseCampaign(deps, actor, planned),
  retryCampaign: (actor, { sent }) => retryCampaign(deps, actor, sent),
  deleteCampaign: (actor, { sent }) => deleteCampaign(deps, actor, sent),
  cancelCampaign: (actor, { planned }) => cancelCampaign(deps, actor, planned),
  recallCampaign: (actor, { sent }) => recallCampaign(deps, actor, { campaignId: sent, runId: null }),
  sendNow: (actor, { owner }) => sendNow(db, { ...owner, ...actor }, owner.groupIds),
  overwriteGroupList: (actor, { groupListId }) => saveGroupList(deps, actor, { name: 'x', groupIds: [], groupListId }),
  deleteGroupList: (actor, { groupListId }) => deleteGroupList(deps, actor, groupListId),
  revokeApiKey: (actor, { apiKeyId }) => revokeApiKey({ db, dropCached: apiKeyStates.drop }, actor, apiKeyId),
};

/** Everything that an actor can list without an id. */
async function seenBy(actor: Actor) {
  const page = { limit: 100, before: null, after: null };
  const days = { startDate: '2999-01-01', endDate: '2999-01-02', limit: 100, after: 0 };
  const bodyHash = Buffer.from((actor.workspaceId === alice.owner.workspaceId ? alice : mallory).sha256, 'hex');
  const { accountId } = await findOwnAccount(db, actor.workspaceId);
  return {
    account: accountId,
    status: await readAccountStatus(deps, actor),
    history: await readAccountHistory(deps, accountId),
    campaigns: (await listCampaigns(deps, actor, page)).campaigns.map(({ campaignId }) => campaignId),
    runs: (await listRuns(deps, actor, days)).runs.map(({ campaignId }) => campaignId),
    lists: (await listGroupLists(deps, actor)).map(({ groupListId }) => groupListId),
    keys: (await selectApiKeys(db, actor.workspaceId)).map(({ apiKeyId }) => apiKeyId),
    entries: (await listAuditLog(deps, actor, page)).entries.map(({ entryId }) => entryId),
    overview: (await readOverview(deps, actor, 1)).totals,
    kept: await findResult(db, { workspaceId: actor.workspaceId, key: 'same', operation: '/', bodyHash }),
  };
}

describe('two workspaces of different users', () => {
  test.each(Object.entries(BY_ID))('cannot reach each other’s resources: %s', async (_name, ask) => {
    const before = [await seenBy(alice.owner), await seenBy(mallory.owner)];
    await expect(ask(mallory.owner, alice)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(ask(alice.owner, mallory)).rejects.toMatchObject({ kind: 'not_found' });
    expect([await seenBy(alice.owner), await seenBy(mallory.owner)]).toEqual(before);
  });

  test('determine what is visible, for any user', async () => {
    const [a, m] = [alice.owner, mallory.owner];
    const inHers = { ...m, workspaceId: a.workspaceId };
    expect(await seenBy(inHers)).toEqual(await seenBy(a));
    expect(await seenBy({ ...a, workspaceId: m.workspaceId })).toEqual(await seenBy(m));
    expect(await seenBy(a)).toMatchObject({ kept: alice.sent, runs: [alice.planned, alice.planned] });
    await expect(getCampaign(deps, inHers, mallory.sent)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(getCampaign(deps, inHers, alice.sent)).resolves.toMatchObject({ publicId: alice.sent });
  });

  test('limit a key to its workspace, and reject keys of users who are not members', async () => {
    const { userId, workspaceId } = alice.owner;
    expect(await apiKeyStates.find(alice.key)).toMatchObject({ userId, workspaceId, role: 'owner' });
    const strange = { ...alice.owner, workspaceId: mallory.owner.workspaceId };
    const wish = { name: 'strange', scopes: ['read' as const], expiresAt: null };
    await expect(createApiKey(deps, strange, wish)).rejects.toMatchObject({ kind: 'conflict' });
  });

  test('are recorded in the audit log together with the user', async () => {
    const { userId, workspaceId } = alice.owner;
    await pauseCampaign(deps, alice.owner, alice.planned);
    const entry = await db
      .selectFrom('audit_log')
      .select(['workspace_id', 'user_id', 'subject'])
      .where('action', '=', 'campaign.paused')
      .execute();
    expect(entry).toEqual([{ workspace_id: workspaceId, user_id: userId, subject: alice.planned }]);
  });
});
