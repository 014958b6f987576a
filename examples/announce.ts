/**
 * Posts a text to every group whose name has a word in it, and follows it until nothing is left to send.
 *
 *   node_modules/.bin/node examples/announce.ts chess '<p>Tonight at <b>eight</b></p>'
 *
 * BASE, USER_NAME and PASSWORD say where and as whom. Without a user name a new user is signed up, who has three sandbox groups:
 * Chess friends, Running club and Village news.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE = 'http://127.0.0.1:3000', USER_NAME, PASSWORD = 'a bell in every tower' } = process.env;
const [word = '', html = '<p>Tonight at <b>eight</b></p>'] = process.argv.slice(2);

interface Envelope<Data> {
  error: boolean;
  message?: string;
  data: Data;
}
interface Groups {
  groups: Array<{ group_metadata_id: number; group_name: string; can_send: boolean }>;
  next_cursor: string | null;
}
interface Analytics {
  campaign: { status: string };
  totals: { queued: number };
  groups: Array<{ group_name: string; sent: number; recipients: number; last_error: string | null }>;
}

let token = '';

/** What an operation answers; throws its sentence when it fails. */
async function call<Data>(path: string, body: object): Promise<Data> {
  const response = await fetch(`${BASE}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Envelope<Data>;
  if (answer.error) throw new Error(`${path}: ${answer.message}`);
  return answer.data;
}

async function signUp(): Promise<string> {
  const user_name = `ada-${Date.now()}`;
  const number = '+44 20 7946 0123';
  const person = { first_name: 'Ada', last_name: 'Lovelace', phone_number: number, whatsapp_number: number };
  await call('user/create_user', { ...person, user_name, email: `${user_name}@example.com`, password: PASSWORD });
  return user_name;
}

/** All groups that may be posted to and have the word in their name, page by page. */
async function findGroups(search: string): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | null = null;
  do {
    const page: Groups = await call<Groups>('venom/list-groups', { search, cursor });
    found.push(...page.groups.filter((group) => group.can_send).map((group) => group.group_metadata_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

const user_name = USER_NAME ?? (await signUp());
({ token } = await call<{ token: string }>('user/authorize_user', { user_name, password: PASSWORD }));
const group_metadata_ids = await findGroups(word);
if (group_metadata_ids.length === 0) throw new Error(`No group has "${word}" in its name`);

const { text } = await call<{ text: string }>('venom/preview-campaign', { html });
console.log(`Posting to ${group_metadata_ids.length} of your groups:\n\n${text}\n`);
const campaign = { name: `Announcement to ${word || 'all'}`, html, group_metadata_ids };
const { campaign_id } = await call<{ campaign_id: string }>('venom/add-campaign', campaign);

for (;;) {
  const { campaign, totals, groups } = await call<Analytics>('analytics/get-campaign-group-analytics-master', {
    campaign_id,
  });
  if (totals.queued > 0) {
    console.log(`${totals.queued} still to send`);
    await sleep(1_000);
    continue;
  }
  for (const { group_name, sent, recipients, last_error } of groups)
    console.log(`${group_name}: ${sent > 0 ? `sent to ${recipients}` : last_error}`);
  console.log(campaign.status);
  break;
}
