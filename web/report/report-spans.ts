import { addDays, addMonths } from '../calendar/days.ts';

export const SPANS = ['this-month', 'last-month', 'quarter', 'own'] as const;
export type SpanName = (typeof SPANS)[number];

/** First and last day, both included, `YYYY-MM-DD`. */
export interface Span {
  first: string;
  last: string;
}

/** Returns the days of a preset. Spans that are not over end today, so that they compare with as many days before. */
export function spanOf(name: Exclude<SpanName, 'own'>, today: string): Span {
  const month = `${today.slice(0, 8)}01`;
  switch (name) {
    case 'this-month':
      return { first: month, last: today };
    case 'last-month':
      return { first: addMonths(month, -1), last: addDays(month, -1) };
    case 'quarter':
      return { first: addMonths(month, -((Number(today.slice(5, 7)) - 1) % 3)), last: today };
    default:
      return name satisfies never;
  }
}

/** The days, and what the report is about, as the API takes them. */
export interface Selection {
  start_date: string;
  end_date: string;
  campaign_id?: string;
  group_list_id?: number;
  tag?: string;
}
