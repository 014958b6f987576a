/** The key that makes readable what the account sends to a group. */
import type { proto, WASocket } from 'baileys';

/** Whose key it is: the account goes by its hidden number where the others go by theirs. */
export function senderIn({ authState }: WASocket, group: string, isByLid: boolean): { group: string; meId: string } {
  const { id = '', lid } = authState.creds.me ?? {};
  return { group, meId: isByLid && lid !== undefined ? lid : id };
}

/** As it is brought to a device. */
export const bringKey = (groupId: string, axolotlSenderKeyDistributionMessage: Uint8Array): proto.IMessage => ({
  senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage },
});
