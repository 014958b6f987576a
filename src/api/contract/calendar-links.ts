/** Links by which calendar programs read the plan (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { count, instant, optional, person } from './fields.ts';
import { groupListId } from './group-lists.ts';

/** The feed of a link, an iCalendar file: no operation, since calendar programs send a GET. */
export const FEED_PATH = '/calendar-feed/:file';

const shared = { tag: 'Campaigns', role: 'manager' } as const;

export const calendarLinks = defineOperations(shared, {
  shareCalendar: {
    path: '/api/v1/venom/share-calendar',
    access: 'admin',
    summary: 'Create a link to the plan for calendar programs',
    description:
      'Anyone who has the link can subscribe to the runs with their names, times, states and numbers of groups, and see nothing else but the names of workspace and list, until it is revoked. Limited to 20 links.',
    body: z.object({
      group_list_id: optional(groupListId).describe(
        'Only runs to at least one group of this saved list, as it is then.',
      ),
    }),
    data: z.object({
      calendar_link_id: count,
      token: z.string().describe('Shown once: only its hash is stored.'),
      path: z.string().describe("The link's path at the address of the service."),
    }),
    errors: ['group_list_not_found', 'calendar_link_limit_reached'],
  },
  listCalendarLinks: {
    path: '/api/v1/venom/list-calendar-links',
    access: 'read',
    summary: 'List your links to the plan',
    description: 'Newest first.',
    data: z.object({
      links: z.array(
        z.object({
          calendar_link_id: count,
          group_list: z.object({ group_list_id: count, name: z.string() }).nullable().describe('`null`: all runs.'),
          created_at: instant,
          created_by: person,
        }),
      ),
    }),
  },
  revokeCalendarLink: {
    path: '/api/v1/venom/revoke-calendar-link',
    access: 'admin',
    summary: 'Revoke a link to the plan',
    body: z.object({ calendar_link_id: z.int() }),
    errors: ['calendar_link_not_found'],
  },
});
