import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../contract/webhook-events.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The id of the message, which is the same in all attempts.',
  'webhook-timestamp': 'The Unix time of the attempt, in seconds.',
  'webhook-signature':
    '`v1,` or `v1a,` followed by the signature of `id.timestamp.body`. Several signatures are separated by spaces.',
};

/** Returns the section `webhooks` of the OpenAPI document: one message per event type. */
export function describeWebhooks(): Record<string, unknown> {
  const parameters = Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([type, { summary, data }]) => {
      const message = z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data });
      const { $schema: _, ...schema } = z.toJSONSchema(message, {
        io: 'input',
        reused: 'inline',
        metadata: z.registry(),
      });
      const operation = {
        operationId: type,
        tags: ['Webhooks'],
        summary,
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Success. Any other answer is retried; 410 disables the webhook.' } },
        security: [],
      };
      return [type, { post: operation }];
    }),
  );
}
