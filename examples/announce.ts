/**
 * Posts a text to every group whose name has a word in it, and follows it live until nothing is left to send.
 *
 *   node_modules/.bin/node examples/announce.ts chess '<p>Tonight at <b>eight</b></p>'
 *
 * BASE, USER_NAME and PASSWORD say where and as whom. Without a user name a new user is signed up, who has three sandbox groups:
 * Chess friends, Running club and Village news.
 */
import type { Client } from '../clients/typescript/client.ts';
import { signIn } from './sign-in.ts';

const [word = '', html = '<p>Tonight at <b>eight</b></p>'] = process.argv.slice(2);
const campanile = await signIn();

/** All groups that may be posted to and have the word in their name, page by page. */
async function findGroups(search: string): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(campanile, search, cursor);
    found.push(...page.groups.filter((group) => group.can_send).map((group) => group.group_metadata_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

function readPage(client: Client, search: string, cursor: string | null) {
  return client.call('venom/list-groups', { search, cursor });
}

const group_metadata_ids = await findGroups(word);
if (group_metadata_ids.length === 0) throw new Error(`No group has "${word}" in its name`);

const { text } = await campanile.call('venom/preview-campaign', { html });
console.log(`Posting to ${group_metadata_ids.length} of your groups:\n\n${text}\n`);
const campaign = { name: `Announcement to ${word || 'all'}`, html, group_metadata_ids };
const { campaign_id } = await campanile.call('venom/add-campaign', campaign);

/** Resolves when nothing is left to send. A campaign that a snapshot does not tell of has ended before we listened. */
async function follow(): Promise<void> {
  for await (const one of campanile.events()) {
    if (one.event === 'account') {
      const { totals } = await campanile.call('analytics/get-campaign-group-analytics-master', { campaign_id });
      if (totals.queued === 0) return;
    }
    if (one.event !== 'campaign' || one.data.campaign_id !== campaign_id) continue;
    const { queued, sent } = one.data.progress;
    if (queued === 0) return;
    console.log(`${sent} sent, ${queued} to go`);
  }
}

await follow();
const { campaign: ended, groups } = await campanile.call('analytics/get-campaign-group-analytics-master', {
  campaign_id,
});
for (const { group_name, sent, recipients, last_error } of groups)
  console.log(`${group_name}: ${sent > 0 ? `sent to ${recipients}` : last_error}`);
console.log(ended.status);
