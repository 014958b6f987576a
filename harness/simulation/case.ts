/** A history, sorted for the checker. */
import type { FinalCampaign, FinalDelivery, Happening, Line } from './line.ts';

export type Of<Kind extends Happening['kind']> = Extract<Line, { kind: Kind }>;
export const only = <Kind extends Happening['kind']>(lines: readonly Line[], kind: Kind) =>
  lines.filter((line): line is Of<Kind> => line.kind === kind);

export interface Case {
  lines: readonly Line[];
  /** `ownerId` is the default account of the workspace whose account sent it. */
  sends: Array<Of<'send'> & { ownerId: number }>;
  /** Owners with several accounts, by their default accounts. */
  shared: ReadonlyMap<number, Of<'owner'>>;
  /** Requests, each with its answer; none: nobody knows what it came to. */
  requests: Array<Of<'request'> & { answer: Of<'answer'> | undefined }>;
  final: Of<'final'>;
  campaigns: ReadonlyMap<string, FinalCampaign>;
  deliveries: ReadonlyMap<string, FinalDelivery>;
  gapMs: number;
  /** From when the ledger was copied to when the copy was put back: what was asked for, or answered, meanwhile is taken back. */
  taken: { fromMs: number; toMs: number } | undefined;
}

/** Returns the chat of a group. */
export function chatOf({ lines }: Case, groupId: number): string | undefined {
  const owner = only(lines, 'owner').find(({ groupIds }) => groupIds.includes(groupId));
  return owner?.chats[owner.groupIds.indexOf(groupId)];
}

/** Whether the effect of a request may have been rolled back with the ledger. */
export const isTakenBack = ({ taken }: Case, { atMs, answer }: Case['requests'][number]) =>
  taken !== undefined && atMs <= taken.toMs && (answer?.atMs ?? Infinity) >= taken.fromMs;

/** Operations that ask for posts. */
export const ADDS = new Set(['send', 'schedule']);

/** Whether a post of this text is of that campaign, corrected and updated or not. */
export const isOf = (said: string, text: string) =>
  said === text || said.startsWith(`${text}, corrected `) || said.startsWith(`${text}, updated `);
