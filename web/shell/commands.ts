import type { CampaignRow } from '../api/operations.ts';
import { words } from '../words/words.ts';

/** The commands on a campaign. */
export type Command = keyof typeof words.palette.commands;

const COMMANDS: readonly Command[] = ['pause', 'resume', 'retry', 'change', 'cancel'];

/** Returns the commands that the campaign's state allows. */
export function commandsFor({
  status,
  progress,
  is_schedule: isScheduled,
}: Pick<CampaignRow, 'status' | 'is_schedule'> & { progress: { failed: number } }): Command[] {
  const isOpen = status === 'running' || status === 'scheduled' || status === 'paused';
  const can: Record<Command, boolean> = {
    pause: isOpen && status !== 'paused',
    resume: status === 'paused',
    retry: progress.failed > 0,
    change: isOpen && isScheduled,
    cancel: isOpen,
  };
  return COMMANDS.filter((command) => can[command]);
}

/** Splits typed text into a command and a search: "pause spring". The command may come last, as in some languages. */
export function parseCommand(typed: string): { command: Command | undefined; rest: string } {
  const text = typed.trim().replaceAll(/\s+/g, ' ');
  const lower = text.toLocaleLowerCase(words.locale);
  for (const command of COMMANDS) {
    const verb = words.palette.commands[command].verb.toLocaleLowerCase(words.locale);
    if (lower.startsWith(`${verb} `)) return { command, rest: text.slice(verb.length + 1) };
    if (lower.endsWith(` ${verb}`)) return { command, rest: text.slice(0, -verb.length - 1) };
  }
  return { command: undefined, rest: text };
}
