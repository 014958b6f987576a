/** Polls and events: messages that members answer with encrypted votes. */
import type { EventExtra, PollExtra } from '../../../content/post/ballot.ts';
import type { Group } from '../client/group.ts';
import type { EventMessage, Message, PollCreation } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import type { Ballot } from './split-post.ts';

/** By the fields in which WhatsApp has polls: one answer, several, and in the announcement group of a community. */
const POLL_FIELDS = ['pollCreationMessageV3', 'pollCreationMessage', 'pollCreationMessageV2'] as const;

export function encodeBallot(ballot: Ballot, group: Group | undefined): Message {
  return 'poll' in ballot ? encodePoll(ballot.poll, group) : { eventMessage: encodeEvent(ballot.event) };
}

function encodePoll({ question, options, isMultiple }: PollExtra, group: Group | undefined): Message {
  const poll: PollCreation = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    // 0: any number.
    selectableOptionsCount: isMultiple ? 0 : 1,
  };
  if (group?.isCommunityAnnounce) return { pollCreationMessageV2: poll };
  return isMultiple ? { pollCreationMessage: poll } : { pollCreationMessageV3: poll };
}

/** WhatsApp counts in whole seconds. */
const toSeconds = (iso: string): number => Math.floor(Date.parse(iso) / 1_000);

function encodeEvent({ name, description, place, startAt, endAt }: EventExtra): EventMessage {
  return {
    name,
    isCanceled: false,
    extraGuestsAllowed: false,
    isScheduleCall: false,
    startTime: toSeconds(startAt),
    ...(description !== undefined && { description }),
    ...(place !== undefined && { location: { name: place } }),
    ...(endAt !== undefined && { endTime: toSeconds(endAt) }),
  };
}

/** Which of the two a message is; undefined for any other. */
export function ballotOf(message: Message): 'poll' | 'event' | undefined {
  if (POLL_FIELDS.some((field) => message[field])) return 'poll';
  return message.eventMessage ? 'event' : undefined;
}

/** The poll of a message, changed; empty for a message without one. */
export function mapPoll(message: Message, change: (poll: PollCreation) => PollCreation): Message {
  const field = POLL_FIELDS.find((one) => message[one]);
  const poll = field && message[field];
  return field && poll ? { [field]: change(poll) } : {};
}

/** The node by which WhatsApp's server knows a poll or an event; undefined for any other message. */
export function metaOf(message: Message): Node | undefined {
  const kind = ballotOf(message);
  if (!kind) return undefined;
  return { tag: 'meta', attrs: kind === 'poll' ? { polltype: 'creation' } : { event_type: 'creation' } };
}
