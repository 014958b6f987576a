import { z } from 'zod';
import type { MessengerGroup } from '../../messenger.ts';

/** The part of WhatsApp's answer that is used. WhatsApp leaves out fields, or sets them to null, without notice. */
const described = z.object({
  id: z.string().endsWith('@newsletter'),
  state: z.object({ type: z.string().nullish() }).nullish(),
  thread_metadata: z.object({
    creation_time: z.coerce.number().catch(0),
    name: z.object({ text: z.string() }),
    invite: z.string().nullish(),
    subscribers_count: z.coerce.number().int().min(0).catch(0),
  }),
  viewer_metadata: z.object({ role: z.string().nullish() }).nullish(),
});

/** Undefined if it does not describe a channel. */
export function parseChannel(answer: unknown): MessengerGroup | undefined {
  const { data } = described.safeParse(answer);
  return data && toGroup(data);
}

/** Returns the active channels, and the number of entries that do not describe a channel. */
export function parseChannelList(answer: unknown): { channels: MessengerGroup[]; unreadable: number } {
  if (!Array.isArray(answer)) return { channels: [], unreadable: 1 };
  const parsed = answer.map((entry) => described.safeParse(entry).data);
  const known = parsed.filter((entry) => entry !== undefined);
  const active = known.filter(({ state }) => (state?.type ?? 'ACTIVE') === 'ACTIVE');
  return { channels: active.map(toGroup), unreadable: parsed.length - known.length };
}

function toGroup({ id, thread_metadata: thread, viewer_metadata: viewer }: z.infer<typeof described>): MessengerGroup {
  const isAdmin = viewer?.role === 'OWNER' || viewer?.role === 'ADMIN';
  return {
    chatId: id,
    sendTo: id,
    kind: 'channel',
    name: thread.name.text,
    participants: thread.subscribers_count,
    inviteLink: thread.invite ? `https://whatsapp.com/channel/${thread.invite}` : null,
    canSend: isAdmin,
    isAdmin: viewer?.role ? isAdmin : undefined,
    createdAt: thread.creation_time > 0 ? new Date(thread.creation_time * 1_000) : new Date(),
  };
}
