import { z } from 'zod';

/** The most problems that a failure names (contract §2). */
export const MOST_DETAILS = 20;

/** zod validates all items of an array and describes each wrong one. This one stops when there are more than a failure names. */
const List: z.core.$constructor<z.ZodArray<z.ZodType>, z.core.$ZodArrayDef<z.ZodType>> = z.core.$constructor(
  'List',
  (list, definition) => {
    z.ZodArray.init(list, definition);
    const { element } = definition;
    const { parse } = list._zod;
    list._zod.parse = (payload, context) => {
      const items: unknown = payload.value;
      const parsed = parse(payload, { ...context, abortEarly: true });
      const isItemWrong = payload.issues[0]?.path !== undefined && Array.isArray(items);
      if (isItemWrong) payload.issues = findWrongItems(items, (item) => runSync(element, item, context));
      return parsed;
    };
  },
);

/** Returns a schema of lists with at most `max` items. */
export function list<Item extends z.ZodType>(item: Item, max: number, error?: string): z.ZodArray<Item> {
  const unbounded = new List({ type: 'array', element: item }) as z.ZodType as z.ZodArray<Item>;
  return unbounded.max(max, error);
}

type Issues = z.core.$ZodRawIssue[];

function findWrongItems(items: readonly unknown[], issuesOf: (item: unknown) => Issues): Issues {
  const found: Issues[] = [];
  for (const [index, item] of items.entries()) {
    const issues = issuesOf(item);
    if (issues.length > 0) found.push(z.core.util.prefixIssues(index, issues));
    if (found.length > MOST_DETAILS) break;
  }
  return found.flat();
}

function runSync(schema: z.ZodType, value: unknown, context: z.core.ParseContextInternal): Issues {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return result.issues;
}
