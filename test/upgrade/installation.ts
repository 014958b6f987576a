/** A small installation with every kind of data, written and read over the API alone, which stays stable across releases. */
import { randomUUID } from 'node:crypto';
import { PASSWORD, post } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { signUpSender } from '../support/service/storm.ts';

const USER = 'alice';
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Enough sandbox members that some read a post in each group. */
const MEMBERS = ['+49 151 7654321', '+49 151 7654322', '+49 151 7654323'];
const GROUPS = 6;

/** The answers of an installation by path. They do not change while nothing is sent. */
export type Answers = Record<string, unknown>;

interface Totals {
  sent: number;
  queued: number;
  read: number;
}

/** Calls an operation. Throws if it fails. */
export async function ask<Data>(url: string, token: string, path: string, body: object = {}): Promise<Data> {
  const { status, body: answer } = await post(url, path, body, token);
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${answer.message}`);
  return answer.data as unknown as Data;
}

/** Signs in as the owner of the data of `furnish`. Returns the token. */
export async function signIn(url: string): Promise<string> {
  const { body } = await post(url, 'user/authorize_user', { user_name: USER, password: PASSWORD });
  return String(body.data?.['token']);
}

/**
 * Fills a service: a completed campaign with read receipts, a paused one, a scheduled one in the far future, a draft with a file, a
 * list, an API key. Resolves to the key once nothing changes any more.
 */
export async function furnish(url: string): Promise<string> {
  const { token } = await signUpSender(url, USER);
  const call = <Data>(path: string, body?: object) => ask<Data>(url, token, path, body);
  const { key } = await call<{ key: string }>('user/create_api_key', { name: 'A program', scopes: ['read', 'send'] });
  const groups: number[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `Group ${index}`, participants: MEMBERS };
    groups.push((await call<{ group_metadata_id: number }>('venom/create-group', group)).group_metadata_id);
  }
  await call('venom/save-group-list', { name: 'Two of them', group_metadata_ids: groups.slice(0, 2) });
  const post = { html: '<p>To <b>all</b> of you</p>', group_metadata_ids: groups };
  const { campaign_id: over } = await call<{ campaign_id: string }>('venom/add-campaign', {
    ...post,
    name: 'Over',
    image: PICTURE,
  });
  await until(
    () => readTotals(url, token, over),
    ({ sent, read }) => sent === GROUPS && read > 0,
  );
  await untilStill(() => readTotals(url, token, over));
  const days = {
    start_date: '2099-01-01',
    end_date: '2099-01-03',
    schedule_time: '09:00:00',
    time_zone: 'Asia/Kolkata',
  };
  await call('venom/add-campaign-batch', { ...post, ...days, name: 'Planned', is_schedule: true });
  const draft = { draft_id: randomUUID(), version: 0, name: 'A draft', html: '<p>Not yet</p>', image: PICTURE };
  await call('venom/save-draft', { ...draft, group_metadata_ids: groups });
  const { campaign_id } = await call<{ campaign_id: string }>('venom/add-campaign', { ...post, name: 'Under way' });
  await call('venom/pause-campaign', { campaign_id });
  await untilStill(() => readAnswers(url, token));
  return key;
}

/** Reads all data over the API, except values that change with time alone. */
export async function readAnswers(url: string, token: string): Promise<Answers> {
  const call = <Data>(path: string, body?: object) => ask<Data>(url, token, path, body);
  const listed = await call<{ campaigns: Array<{ campaign_id: string; name: string }> }>('venom/list-campaigns', {
    with_reads: true,
    with_post: true,
  });
  const { drafts } = await call<{ drafts: Array<{ draft_id: string }> }>('venom/list-drafts');
  const answers: Answers = {
    'venom/list-campaigns': listed,
    'venom/list-drafts': await call('venom/list-drafts', { draft_id: drafts[0]?.draft_id }),
    'venom/list-groups': await call('venom/list-groups'),
    'venom/list-group-lists': await call('venom/list-group-lists'),
    'user/list_api_keys': await call('user/list_api_keys'),
    'user/get_profile': { user_info: (await call<{ user_info: object }>('user/get_profile')).user_info },
  };
  for (const { name, campaign_id } of listed.campaigns) {
    answers[`venom/get-campaign ${name}`] = await call('venom/get-campaign', { campaign_id });
    const analytics = 'analytics/get-campaign-group-analytics-master';
    answers[`${analytics} ${name}`] = await call(analytics, { campaign_id });
  }
  return answers;
}

/** Returns the totals of a campaign. */
export async function readTotals(url: string, token: string, campaign_id: string): Promise<Totals> {
  const path = 'analytics/get-campaign-group-analytics-master';
  return (await ask<{ totals: Totals }>(url, token, path, { campaign_id })).totals;
}

/** Waits until the result is unchanged for a second. */
async function untilStill(read: () => Promise<unknown>): Promise<void> {
  let before = '';
  await until(
    async () => {
      const now = JSON.stringify(await read());
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return now;
    },
    (now) => {
      const isStill = now === before;
      before = now;
      return isStill;
    },
  );
}
