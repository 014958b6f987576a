/** The command's actions at each step of the plan, by the step's title. */
import { linkNumber, readStatus } from './link.ts';
import { drawPicture, post, secondsSince, StepFailedError, waitFor, waitForTotals, type Checking } from './post.ts';
import type { Facts } from './report.ts';

export type RunStep = (checking: Checking) => Promise<Facts>;

export const STEPS: Readonly<Record<string, RunStep>> = {
  'Link the number': linkNumber,
  'Sync its groups': syncGroups,
  'Create a group': createGroup,
  'Send a text': sendText,
  'Send a picture': sendPicture,
  'Send a link': sendLink,
  'Receive and read': awaitReceipts,
  'React and reply': awaitReactions,
  'Vote on a poll': awaitVote,
  'Correct the text': correctText,
  'Recall the picture': recallPicture,
  'Link another device of yours': postToOwnDevices,
  'Remove a member': removeMember,
  'Restart while a phone is away': restart,
  'Post to a community': postToCommunity,
  'Post to a channel': postToChannel,
  'Count views': countViews,
  Unlink: unlink,
};

async function syncGroups({ client, say }: Checking): Promise<Facts> {
  const beginMs = performance.now();
  const { added, updated, removed } = await client.call('venom/sync-groups');
  say(`Groups: ${added} added, ${updated} updated, ${removed} removed, after ${secondsSince(beginMs)} s.`);
  return { added, updated, removed };
}

async function createGroup({ client, made, prompt }: Checking): Promise<Facts> {
  const number = await prompt();
  const participants = number === '' ? [] : [number];
  const created = await client.call('venom/create-group', { group_name: 'Campanile check', participants });
  made.groupId = created.group_metadata_id;
  return { invited: participants.length };
}

async function sendText(checking: Checking): Promise<Facts> {
  const html = '<b>Campanile</b> checks how it gets on with WhatsApp.';
  const { campaignId, facts } = await post(checking, checking.made.groupId, { html });
  checking.made.textId = campaignId;
  return facts;
}

async function sendPicture(checking: Checking): Promise<Facts> {
  const content = { html: 'An orange picture.', image: await drawPicture() };
  const { campaignId, facts } = await post(checking, checking.made.groupId, content);
  checking.made.pictureId = campaignId;
  return facts;
}

const LINK = 'https://www.example.org/';

async function sendLink(checking: Checking): Promise<Facts> {
  const linkPreview = { url: LINK, title: 'An orange card', description: 'It belongs to the link.' };
  const html = `A link: ${LINK}`;
  const image = await drawPicture();
  return (await post(checking, checking.made.groupId, { html, link_preview: { ...linkPreview, image } })).facts;
}

async function awaitReceipts(checking: Checking): Promise<Facts> {
  const { made, patience, say, prompt } = checking;
  await prompt();
  const isRead = ({ delivered, read }: { delivered: number | null; read: number | null }) => !!delivered && !!read;
  const { delivered, read } = await waitForTotals(checking, made.textId, patience.peopleMs, isRead);
  say(`The text was received by ${delivered} and read by ${read}.`);
  return { delivered, read };
}

async function awaitReactions(checking: Checking): Promise<Facts> {
  const { made, patience, say, prompt } = checking;
  await prompt();
  const isDone = (totals: { reactions: number | null; replies: number | null }) =>
    !!totals.reactions && !!totals.replies;
  const { reactions, replies } = await waitForTotals(checking, made.textId, patience.peopleMs, isDone);
  say(`Counted: ${reactions} reactions, ${replies} replies.`);
  return { reactions, replies };
}

const POLL = { question: 'Does this poll reach you?', options: ['Yes', 'No'] };

async function awaitVote(checking: Checking): Promise<Facts> {
  const { client, made, patience, say, prompt } = checking;
  const { campaignId, facts: sent } = await post(checking, made.groupId, { html: '', poll: POLL });
  await prompt();
  const read = async () => {
    const { polls } = await client.call('analytics/get-poll-results', { campaign_id: campaignId });
    const { voters = 0, unreadable = 0, votes: [yes = 0] = [] } = polls[0] ?? {};
    return { voters, unreadable, yes };
  };
  const counts = await waitFor(patience, patience.peopleMs, read, (found) => found.voters + found.unreadable > 0);
  const facts = { ...sent, ...counts };
  if (counts.unreadable > 0) throw new StepFailedError('A vote arrived and could not be opened', facts);
  if (counts.voters === 0) throw new StepFailedError('No vote arrived in time', facts);
  say(`Counted: ${counts.voters} voters, ${counts.yes} of them for "Yes".`);
  return facts;
}

function correctText(checking: Checking): Promise<Facts> {
  const html = '<b>Campanile</b> has corrected this.';
  return change(checking, checking.made.textId, 'corrected', (campaignId) =>
    checking.client.call('venom/correct-campaign', { campaign_id: campaignId, html }),
  );
}

function recallPicture(checking: Checking): Promise<Facts> {
  return change(checking, checking.made.pictureId, 'recalled', (campaignId) =>
    checking.client.call('venom/recall-campaign', { campaign_id: campaignId }),
  );
}

/** Changes a post, and waits until that is counted as `what`. */
async function change(
  checking: Checking,
  campaignId: string | undefined,
  what: 'corrected' | 'recalled',
  act: (campaignId: string) => Promise<unknown>,
): Promise<Facts> {
  const beginMs = performance.now();
  if (campaignId === undefined) throw new StepFailedError('There is no post to change', {});
  await act(campaignId);
  const totals = await waitForTotals(checking, campaignId, checking.patience.serviceMs, (found) => !!found[what]);
  const facts = { [what]: totals[what] ?? 0, changedAfter: secondsSince(beginMs) };
  if (facts[what] === 0) throw new StepFailedError('The post was not changed in time', facts);
  return facts;
}

async function postToOwnDevices(checking: Checking): Promise<Facts> {
  await checking.prompt();
  return (await post(checking, checking.made.groupId, { html: 'To my other devices.' })).facts;
}

async function removeMember(checking: Checking): Promise<Facts> {
  const { made, patience, say, prompt } = checking;
  await prompt();
  const without = await post(checking, made.groupId, { html: 'Without the second phone.' });
  await prompt();
  const again = await post(checking, made.groupId, { html: 'The second phone is back.' });
  const { delivered } = await waitForTotals(
    checking,
    again.campaignId,
    patience.peopleMs,
    (totals) => !!totals.delivered,
  );
  say(`Received by ${delivered}.`);
  return { recipientsWithout: without.facts['recipients'] ?? null, ...again.facts, delivered };
}

async function restart(checking: Checking): Promise<Facts> {
  const { made, patience, say, prompt } = checking;
  await prompt();
  const { campaignId, facts } = await post(checking, made.groupId, { html: 'Sent while a phone was away.' });
  await prompt();
  const beginMs = performance.now();
  const isConnected = ({ status }: { status: string }) => status === 'connected';
  const { status } = await waitFor(patience, patience.serviceMs, () => readStatus(checking), isConnected);
  const back = { ...facts, status, connectedAfter: secondsSince(beginMs) };
  if (status !== 'connected') throw new StepFailedError('The account is not connected again', back);
  say(`Connected again after ${back.connectedAfter} s.`);
  await prompt();
  const { delivered } = await waitForTotals(checking, campaignId, patience.peopleMs, (totals) => !!totals.delivered);
  say(`Received by ${delivered}.`);
  return { ...back, delivered };
}

async function postToCommunity(checking: Checking): Promise<Facts> {
  const { client, made, patience, say, prompt } = checking;
  if (made.communityId === undefined) {
    const community = { community_name: 'Campanile check', description: 'To be deleted' };
    made.communityId = (await client.call('venom/create-community', community)).group_metadata_id;
  }
  await prompt();
  const { campaignId, facts } = await post(checking, made.communityId, { html: 'To the whole community.' });
  await prompt();
  const { reactions } = await waitForTotals(checking, campaignId, patience.peopleMs, (totals) => !!totals.reactions);
  say(`Counted: ${reactions} reactions.`);
  return { ...facts, reactions };
}

async function postToChannel(checking: Checking): Promise<Facts> {
  const { client, made } = checking;
  const image = await drawPicture();
  if (made.channelId === undefined) {
    const channel = { name: 'Campanile check', description: 'To be deleted', image };
    made.channelId = (await client.call('venom/create-channel', channel)).group_metadata_id;
  }
  const text = await post(checking, made.channelId, { html: 'To the channel.' });
  made.channelTextId = text.campaignId;
  const picture = await post(checking, made.channelId, { html: 'An orange picture.', image });
  made.channelPictureId = picture.campaignId;
  return { textLeftAfter: text.facts['leftAfter'] ?? null, pictureLeftAfter: picture.facts['leftAfter'] ?? null };
}

async function countViews(checking: Checking): Promise<Facts> {
  const { made, patience, say, prompt } = checking;
  await prompt();
  const isSeen = ({ views }: { views: number | null }) => !!views;
  const text = await waitForTotals(checking, made.channelTextId, patience.peopleMs, isSeen);
  const picture = await waitForTotals(checking, made.channelPictureId, patience.peopleMs, isSeen);
  const reactions = (text.reactions ?? 0) + (picture.reactions ?? 0);
  say(`Views: ${text.views} of the text, ${picture.views} of the picture; ${reactions} reactions.`);
  return { textViews: text.views, pictureViews: picture.views, reactions };
}

async function unlink({ client, prompt }: Checking): Promise<Facts> {
  if (/^k/i.test(await prompt())) return { isKept: true };
  const { status } = await client.call('venom/disconnect-account');
  return { isKept: false, status };
}
