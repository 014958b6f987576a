/** Whether each campaign has the runs that its schedule, as last changed, requires: part of the checker. */
import { ADDS, type Case } from './case.ts';
import { effectOf, hasApplied, mayApply } from './effects.ts';
import type { AskedSchedule, FinalCampaign } from './line.ts';
import { dayOf, occurrencesOf } from './wall-clock.ts';

const iso = (atMs: number) => new Date(atMs).toISOString();

type Requests = Case['requests'];

/** A campaign has a run at each occurrence of its schedule, or one at its acceptance, and no other. */
export function runsAreTheOnesRequested(facts: Case): string[] {
  return facts.final.campaigns.flatMap((campaign) => {
    const { text, accountId, deleted, runs } = campaign;
    const asked = facts.requests.filter(
      (one) => ADDS.has(one.operation) && one.accountId === accountId && one.text === text && mayApply(one),
    );
    const [first] = asked;
    if (!first) return [`unplanned: ${text} was not requested`];
    if (deleted) return [];
    // A request that was repeated with its key took effect in one of its attempts.
    const effects = asked.map((one) => effectOf(facts, one));
    const span = {
      fromMs: Math.floor(Math.min(...effects.map(({ fromMs }) => fromMs))),
      toMs: Math.max(...effects.map(({ toMs }) => toMs)),
    };
    if (!first.schedule)
      return runs.length === 1 && runs.every(({ dueMs }) => dueMs >= span.fromMs && dueMs <= span.toMs)
        ? []
        : [`unplanned: ${text} was to run once, when it was accepted`];
    const plans = [{ request: first, schedule: first.schedule, ...span }, ...findChanges(facts, text)];
    return [...checkUnwanted(campaign, plans), ...checkMissing(facts, campaign, plans)];
  });
}

interface Plan {
  request: Requests[number];
  schedule: AskedSchedule;
  fromMs: number;
  toMs: number;
}

/** Returns the changes of a schedule that may have taken effect. */
export function findChanges(facts: Case, text: string): Plan[] {
  return facts.requests.flatMap((request) => {
    const { schedule, operation } = request;
    if (operation !== 'update' || request.text !== text || !schedule || !mayApply(request)) return [];
    const { fromMs, toMs } = effectOf(facts, request);
    return [{ request, schedule, fromMs: Math.floor(fromMs), toMs }];
  });
}

/** Returns the plans of which one is in force in the end: the last that surely was, and those that may have followed it. */
function findLast(facts: Case, plans: readonly Plan[]): Plan[] {
  const sure = plans.findLast(({ request }, index) => index === 0 || hasApplied(facts, request));
  return plans.filter((plan) => sure === undefined || plan === sure || plan.toMs >= sure.fromMs);
}

function checkUnwanted({ text, runs }: FinalCampaign, plans: readonly Plan[]): string[] {
  const wanted = new Set(
    plans.flatMap(({ schedule, fromMs }) => occurrencesOf(schedule).filter((dueMs) => dueMs >= fromMs)),
  );
  return [
    ...runs
      .filter(({ dueMs }) => !wanted.has(dueMs))
      .map(({ dueMs }) => `unplanned: ${text} has a run at ${iso(dueMs)}, which is not in its schedule`),
    ...(new Set(runs.map(({ dueMs }) => dueMs)).size < runs.length
      ? [`unplanned: ${text} has two runs at one instant`]
      : []),
  ];
}

function checkMissing(facts: Case, { text, runs }: FinalCampaign, plans: readonly Plan[]): string[] {
  const last = findLast(facts, plans);
  const [plan] = last;
  if (!plan || last.length > 1) return [];
  const wanted = occurrencesOf(plan.schedule);
  const zones = plans.map(({ schedule }) => schedule.timeZone);
  // A day whose run has begun or was missed gets no second one, in whichever zone its date was.
  const hadRun = (dueMs: number) =>
    plans.length > 1 &&
    runs.some(
      (run) =>
        run.dueMs <= plan.toMs && zones.some((zone) => dayOf(zone, run.dueMs) === dayOf(plan.schedule.timeZone, dueMs)),
    );
  return [
    ...wanted
      .filter((dueMs) => dueMs > plan.toMs && !runs.some((run) => run.dueMs === dueMs) && !hadRun(dueMs))
      .map((dueMs) => `not planned: ${text} has no run at ${iso(dueMs)}`),
    ...runs
      .filter(({ dueMs }) => dueMs > plan.toMs && !wanted.includes(dueMs))
      .map(({ dueMs }) => `unplanned: ${text} has a run at ${iso(dueMs)}, which its last schedule dropped`),
  ];
}
