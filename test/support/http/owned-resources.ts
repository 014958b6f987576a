import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { AHEAD, type Ids } from './access.ts';
import { PASSWORD, type Person } from '../app.ts';
import { until } from '../ledger.ts';
import { PNG } from '../inputs/sample-files.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** Creates an owned resource and returns its id, by the name of the field in a body. */
const MAKERS: Readonly<Record<string, (person: Person, had: Ids) => Promise<unknown>>> = {
  user_id: async (person) => person.userId,
  account_id: async (person) =>
    (await person.call<Ids>('venom/add-account', { name: `of ${person.name}`, messenger: 'sandbox' })).body.data[
      'account_id'
    ],
  to_account_id: async (person) => (await person.call<Ids>('venom/account-status')).body.data['account_id'],
  group_metadata_id: firstGroup,
  review_group_id: firstGroup,
  group_metadata_ids: async (person) => [await firstGroup(person)],
  account_ids: async (person) => [await ownAccount(person)],
  campaign_id: (person) => scheduledCampaign(person),
  sha256: async (person) => {
    // No other user has this file.
    const picture = Buffer.concat([PNG, Buffer.from(person.name)]);
    await scheduledCampaign(person, picture.toString('base64'));
    return createHash('sha256').update(picture).digest('hex');
  },
  media_id: async (person) => {
    await scheduledCampaign(person, Buffer.concat([PNG, Buffer.from(`another of ${person.name}`)]).toString('base64'));
    const { files } = (await person.call<{ files: Ids[] }>('media/list-media')).body.data;
    return files[0]?.['media_id'];
  },
  run_id: async (person, had) => {
    const answer = await person.call<{ runs: Array<{ run_id: number }> }>('venom/get-campaign', {
      campaign_id: had['campaign_id'] ?? (await scheduledCampaign(person)),
    });
    return answer.body.data.runs[0]?.run_id;
  },
  invitation_id: async (person) =>
    (await person.call<Ids>('workspace/invite-member', { role: 'author' })).body.data['invitation_id'],
  api_key_id: async (person) =>
    (await person.call<Ids>('user/create_api_key', { name: 'mine', scopes: ['read'] })).body.data['api_key_id'],
  session_id: async (person) => {
    await person.call('user/authorize_user', { user_name: person.name, password: PASSWORD });
    const { sessions } = (await person.call<{ sessions: Ids[] }>('user/list_sessions')).body.data;
    return sessions.find((session) => session['is_current'] === false)?.['session_id'];
  },
  factor_id: async (person) => {
    const { secret } = (await person.call<{ secret: string }>('user/add_totp')).body.data;
    await person.call('user/confirm_totp', { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() });
    const { factors } = (await person.call<{ factors: Array<{ factor_id: number }> }>('user/list_factors')).body.data;
    return factors[0]?.factor_id;
  },
  webhook_id: webhook,
  message_id: async (person, had) => {
    const webhook_id = had['webhook_id'] ?? (await webhook(person));
    const sent = (await person.call<Ids>('venom/test-webhook', { webhook_id })).body.data['message_id'];
    // It has failed and is disabled, so it no longer changes.
    await until(
      () => person.call<{ tries: unknown[] }>('venom/list-webhook-tries', { webhook_id }),
      ({ body }) => body.data.tries.length > 0,
    );
    await person.call('venom/update-webhook', { webhook_id, is_enabled: false });
    return sent;
  },
  report_link_id: async (person) => {
    const body = { start_date: '2026-01-01', end_date: '2026-01-31' };
    return (await person.call<Ids>('analytics/share-report', body)).body.data['report_link_id'];
  },
  calendar_link_id: async (person) => (await person.call<Ids>('venom/share-calendar')).body.data['calendar_link_id'],
  draft_id: async (person) => {
    const draft = { draft_id: randomUUID(), version: 0, html: `of ${person.name}` };
    return (await person.call<Ids>('venom/save-draft', draft)).body.data['draft_id'];
  },
  template_id: async (person) => {
    const template = { template_id: randomUUID(), version: 0, name: `of ${person.name}`, html: 'Hello' };
    return (await person.call<Ids>('venom/save-template', template)).body.data['template_id'];
  },
  approval_id: async (person) => {
    await person.call('workspace/set-approval-rules', { approval: 'authors' });
    const post = { name: `of ${person.name}`, html: 'Hello', group_metadata_ids: [await firstGroup(person)] };
    const body = { approval_id: randomUUID(), is_schedule: false, ...post };
    return (await person.call<Ids>('venom/request-approval', body)).body.data['approval_id'];
  },
  group_list_id: groupList,
  group_list_ids: async (person) => [await groupList(person)],
};

/** Creates one resource of each kind for the person. Throws for a field without an entry in `MAKERS`. */
export async function createOwnedResources(person: Person, fields: Iterable<string>): Promise<Ids> {
  const ids: Record<string, unknown> = {};
  // In the order of `MAKERS`: a user with a second factor can no longer sign in with the password alone.
  const order = Object.keys(MAKERS);
  for (const field of [...fields].toSorted((one, other) => order.indexOf(one) - order.indexOf(other))) {
    const made = await MAKERS[field]?.(person, ids);
    if (made === undefined) throw new Error(`how does one come by a ${field} of one's own? MAKERS does not say`);
    ids[field] = made;
  }
  return ids;
}

/** Returns ids of the same form that do not exist. */
export function inventIds(ids: Ids): Ids {
  const invented = (id: unknown, place: number) =>
    typeof id === 'number'
      ? 900_000_000_001 + place
      : SHA256.test(String(id))
        ? randomBytes(32).toString('hex')
        : randomUUID();
  return Object.fromEntries(
    Object.entries(ids).map(([field, id], place) => [
      field,
      Array.isArray(id) ? id.map((one) => invented(one, place)) : invented(id, place),
    ]),
  );
}

async function groupList(person: Person): Promise<unknown> {
  const list = { name: 'mine', group_metadata_ids: [await firstGroup(person)] };
  return (await person.call<Ids>('venom/save-group-list', list)).body.data['group_list_id'];
}

async function firstGroup(person: Person): Promise<number | undefined> {
  const answer = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  return answer.body.data.groups[0]?.group_metadata_id;
}

async function ownAccount(person: Person): Promise<number | undefined> {
  const answer = await person.call<{ groups: Array<{ accounts: Array<{ account_id: AccountId }> }> }>(
    'venom/list-groups',
    { with_accounts: true, limit: 1 },
  );
  return answer.body.data.groups[0]?.accounts[0]?.account_id;
}

/** Far in the future, so that it does not change by itself. */
async function scheduledCampaign(person: Person, image: string | null = null): Promise<string | null> {
  const answer = await person.call('venom/add-campaign-batch', {
    ...AHEAD,
    name: `of ${person.name}`,
    html: 'Hello',
    image,
    is_schedule: true,
    group_metadata_ids: [await firstGroup(person)],
  });
  return answer.headers.get('x-campaign-id');
}

async function webhook(person: Person): Promise<unknown> {
  // A reserved address where nothing answers.
  const body = { url: 'https://hooks.invalid/', events: ['account.version_refused'] };
  return (await person.call<Ids>('venom/create-webhook', body)).body.data['webhook_id'];
}
