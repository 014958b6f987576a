/** The results of the check, without personal data: the report is made to be passed on. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { StartupError } from '../../src/platform/errors/errors.ts';
import type { Conditions } from './conditions.ts';

/** Counts, times in seconds, codes, and states out of fixed lists. Never a phone number, a name, or a text. */
export type Facts = Readonly<Record<string, number | boolean | null | AccountState>>;

type AccountState = 'unlinked' | 'linking' | 'connected' | 'reconnecting' | 'paused' | 'logged_out';

export interface StepReport {
  title: string;
  outcome: 'done' | 'failed' | 'skipped';
  seconds: number;
  facts: Facts;
  /** By question. */
  answers: Record<string, 'yes' | 'no' | 'unsure'>;
}

/** Ids that later steps need. */
export interface Made {
  groupId?: number;
  communityId?: number;
  channelId?: number;
  textId?: string;
  pictureId?: string;
  channelTextId?: string;
  channelPictureId?: string;
}

export interface Report {
  campanile: string;
  node: string;
  platform: string;
  /** ISO 8601, in UTC. */
  begunAt: string;
  steps: StepReport[];
  /** How often each condition of WhatsApp was seen. Undefined: the metrics of the service could not be read. */
  conditions?: Conditions;
  /** Ids of the service's own, which nobody else has a use for. */
  made: Made;
}

/** Opens the report of an earlier run, or a new one. Throws a StartupError when the file is something else. */
export function openReport(path: string): Report {
  if (!existsSync(path)) return beginReport();
  const found = parse(readFileSync(path, 'utf8'));
  if (!found || !Array.isArray(found.steps) || typeof found.made !== 'object')
    throw new StartupError(`${path} exists and is not a report of this check. Name another file.`);
  return found;
}

function parse(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}

function beginReport(): Report {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    campanile: version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    begunAt: new Date().toISOString(),
    steps: [],
    made: {},
  };
}

export function saveReport(path: string, report: Report): void {
  writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`);
}
