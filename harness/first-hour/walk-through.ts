/**
 * Guides an operator through the first hour on WhatsApp: calls the operations of the service, asks the operator about the phones' screens,
 * and writes a report without names. Its texts match docs/how-to/first-hour-on-whatsapp.md.
 */
import { createClient } from '../../clients/typescript/client.ts';
import { addConditions, readConditions, type Conditions } from './conditions.ts';
import { codeIn, secondsSince, StepFailedError, type Checking, type Patience } from './post.ts';
import { readPlan, type PlannedStep } from './read-plan.ts';
import { openReport, saveReport, type Facts, type Report, type StepReport } from './report.ts';
import { STEPS, type RunStep } from './steps.ts';
import { InputEndedError, openTerminal, type Terminal } from './terminal.ts';

export interface CheckOptions {
  options: { url: string; report: string };
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  patience?: Partial<Patience>;
}

const PATIENCE: Patience = { pollMs: 1_000, serviceMs: 3 * 60_000, peopleMs: 5 * 60_000 };

interface CheckRun {
  terminal: Terminal;
  path: string;
  report: Report;
  checking: Omit<Checking, 'prompt'>;
  metrics: Metrics | undefined;
}

/** The counters of the service, and where to read them again. */
interface Metrics {
  url: string;
  token: string;
  last: Conditions;
}

/** Resolves to the exit code: 0 when all steps are through. Throws a StartupError when it cannot begin. */
export async function walkThrough({ options: { url, report: path }, input, output, patience }: CheckOptions) {
  const plan = readPlan();
  const report = openReport(path);
  const terminal = openTerminal(input, output);
  try {
    const token = await terminal.ask(`The API key for ${url}:`);
    const metrics = await openMetrics(terminal, url);
    const checking = {
      client: createClient({ url, token }),
      say: (text: string) => terminal.say(text),
      made: report.made,
      patience: { ...PATIENCE, ...patience },
    };
    return await runPlan({ terminal, path, report, checking, metrics }, plan);
  } catch (error) {
    if (!(error instanceof InputEndedError)) throw error;
    terminal.say('');
    return 1;
  } finally {
    terminal.close();
  }
}

async function runPlan(checkRun: CheckRun, plan: readonly PlannedStep[]): Promise<number> {
  const { terminal, path, report } = checkRun;
  for (const [index, step] of plan.entries()) {
    const before = report.steps.find(({ title }) => title === step.title);
    if (before && before.outcome !== 'failed') continue;
    terminal.say(`\n${index + 1} of ${plan.length}: ${step.title}\n${step.about}`.trimEnd());
    const choice = await terminal.choose('Do it, skip it, or quit?', ['', 's', 'q']);
    if (choice === 'q') return 1;
    const found = choice === 's' ? skipped(step) : await runStep(checkRun, step);
    await countConditions(checkRun);
    report.steps = [...report.steps.filter(({ title }) => title !== step.title), found];
    saveReport(path, report);
  }
  const failed = report.steps.filter(({ outcome }) => outcome === 'failed').length;
  terminal.say(`\n${describeConditions(report.conditions)}`);
  terminal.say(`${report.steps.length - failed} steps done, ${failed} failed. The report is in ${path}.`);
  return failed === 0 ? 0 : 1;
}

/** Undefined if the metrics are closed, and the operator has no token for them. */
async function openMetrics(terminal: Terminal, url: string): Promise<Metrics | undefined> {
  for (const mayAsk of [true, false]) {
    const token = mayAsk ? '' : await terminal.ask('The METRICS_TOKEN of the service (Enter to go on without):');
    const last = await readConditions(url, token);
    if (last) return { url, token, last };
    if (!mayAsk && token !== '') terminal.say('The metrics cannot be read with it.');
  }
  return undefined;
}

async function countConditions({ report, metrics }: CheckRun): Promise<void> {
  const now = metrics && (await readConditions(metrics.url, metrics.token));
  if (!now) return;
  report.conditions = addConditions(report.conditions ?? {}, metrics.last, now);
  metrics.last = now;
}

function describeConditions(conditions: Conditions | undefined): string {
  if (!conditions) return 'The metrics of the service could not be read, so the report names no conditions.';
  const seen = Object.entries(conditions).flatMap(([name, count]) => (count > 0 ? [`${name} (${count})`] : []));
  return `Conditions of WhatsApp that were seen: ${seen.join(', ') || 'none'}.`;
}

function skipped({ title }: PlannedStep): StepReport {
  return { title, outcome: 'skipped', seconds: 0, facts: {}, answers: {} };
}

async function runStep({ terminal, checking }: CheckRun, step: PlannedStep): Promise<StepReport> {
  const beginMs = performance.now();
  const prompts = step.prompts.values();
  const prompt = () => terminal.ask(`${prompts.next().value ?? ''}\n>`);
  const { outcome, facts } = await attempt({ ...checking, prompt }, stepNamed(step.title));
  const seconds = secondsSince(beginMs);
  const answers: StepReport['answers'] = {};
  for (const question of step.questions) answers[question] = ANSWERS[await terminal.choose(question, ['y', 'n', '?'])];
  return { title: step.title, outcome, seconds, facts, answers };
}

const ANSWERS = { y: 'yes', n: 'no', '?': 'unsure' } as const;

function stepNamed(title: string): RunStep {
  const run = STEPS[title];
  if (!run) throw new Error(`the plan has a step that the command does not know: ${title}`);
  return run;
}

/** Shows the error message to the operator, and writes only error codes into the report. */
async function attempt(checking: Checking, run: RunStep): Promise<{ outcome: 'done' | 'failed'; facts: Facts }> {
  try {
    return { outcome: 'done', facts: await run(checking) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof InputEndedError) throw error;
    checking.say(`Failed: ${error.message}`);
    return { outcome: 'failed', facts: error instanceof StepFailedError ? error.facts : factsOf(error) };
  }
}

function factsOf(error: Error): Facts {
  const status = 'status' in error && typeof error.status === 'number' ? error.status : null;
  return { httpStatus: status, code: codeIn(error.message) };
}
